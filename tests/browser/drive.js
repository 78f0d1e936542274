// What the tests ask of the JupyterLab in a page, through its application object.
window.drive = {
  ran: undefined,
  panel: () => window.jupyterapp?.shell?.currentWidget,
  opened(path) {
    const panel = this.panel();
    return panel?.context?.path === path && panel.context.isReady && panel.sessionContext?.session?.kernel != null;
  },
  widen() {
    window.jupyterapp.shell.collapseLeft();
    window.jupyterapp.shell.collapseRight();
  },
  run() {
    const commands = window.jupyterapp.commands;
    commands.execute("notebook:run-all-cells").then((ok) => (this.ran = ok ?? true), (error) => (this.ran = String(error)));
  },
  counted() {
    return [...this.panel().content.model.cells].filter((cell) => cell.executionCount).length;
  },
  idle() {
    return this.panel().sessionContext.session.kernel.status === "idle";
  },
  notebook() {
    return this.panel().content.model.toJSON();
  },
  height() {
    return this.panel().node.querySelector(".jp-WindowedPanel-outer").scrollHeight;
  },
  scroll(top) {
    this.panel().node.querySelector(".jp-WindowedPanel-outer").scrollTop = top;
  },
  seen() {
    const { node } = this.panel();
    const images = [...node.querySelectorAll(".jp-OutputArea-output img")];
    return {
      images: images.filter((image) => image.complete && image.naturalWidth > 0).length,
      broken: node.querySelectorAll("mjx-merror").length,
      text: node.innerText,
    };
  },
};
