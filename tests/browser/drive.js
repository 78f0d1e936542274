// What the tests ask of the JupyterLab in a page, through its application object.
window.drive = {
  panel: () => window.jupyterapp?.shell?.currentWidget,
  opened(path) {
    const panel = this.panel();
    return panel?.context?.path === path && panel.context.isReady && panel.sessionContext?.session?.kernel != null;
  },
  widen() {
    window.jupyterapp.shell.collapseLeft();
    window.jupyterapp.shell.collapseRight();
  },
  async clear() {
    await window.jupyterapp.commands.execute("notebook:clear-all-cell-outputs");
  },
  run() {
    window.jupyterapp.commands.execute("notebook:run-all-cells"); // its promise ends at the first error, even one asked for
  },
  code() {
    return this.notebook().cells.filter((cell) => cell.cell_type === "code" && cell.source.length);
  },
  counted() {
    return this.code().filter((cell) => cell.execution_count).length;
  },
  stopped() {
    const failed = (cell) => cell.outputs.some((output) => output.output_type === "error");
    return this.code().some((cell) => failed(cell) && !cell.metadata.tags?.includes("raises-exception"));
  },
  done() {
    return this.counted() === this.code().length || this.stopped();
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
