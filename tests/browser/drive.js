// What the tests ask of the JupyterLab in a page, through its application object, and of the widgets in it.
window.drive = {
  panel: () => window.jupyterapp?.shell?.currentWidget,
  opened(path) {
    const panel = this.panel();
    return panel?.context?.path === path && panel.context.isReady;
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
    return this.kernel()?.status === "idle";
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
    const drawn = [...node.querySelectorAll(".jp-OutputArea-output img")];
    const images = drawn.filter((image) => !image.closest(".ddl-widget"));
    return {
      images: images.filter((image) => image.complete && image.naturalWidth > 0).length,
      widgets: node.querySelectorAll(".ddl-widget").length,
      broken: node.querySelectorAll("mjx-merror").length,
      text: node.innerText,
    };
  },
  kernel() {
    return this.panel().sessionContext.session?.kernel;
  },
  async save() {
    await window.jupyterapp.commands.execute("docmanager:save");
  },
  async revive() {
    if (!this.kernel()) await this.panel().sessionContext.changeKernel({ name: "python3" });
  },
  async execute(code) {
    return (await this.kernel().requestExecute({ code, silent: true }).done).content.status;
  },
  async theme(name) {
    await window.jupyterapp.commands.execute("apputils:change-theme", { theme: `JupyterLab ${name}` });
  },
  widgets() {
    return [...this.panel().node.querySelectorAll(".ddl-widget")];
  },
  /** By kind of number, an attribute, the numbers that are written into the page by the thing they belong to. */
  numbers(widget, shown) {
    const of = ([name, [selector, key]]) => {
      const all = [...this.widgets()[widget].querySelectorAll(selector)].filter(({ dataset }) => name in dataset);
      return [name, Object.fromEntries(all.map(({ dataset }) => [dataset[key], dataset[name]]))];
    };
    return Object.fromEntries(Object.entries(shown).map(of));
  },
  /** All that can be seen of a widget and of how far its controls were moved. */
  state(widget) {
    const root = this.widgets()[widget];
    const moved = [...root.querySelectorAll("input, select")].map((control) => `${control.value} ${control.checked}`);
    return [root.innerHTML, ...moved].join("\n");
  },
  /** Texts of a widget that do not fit where they stand: a box that hides what leaves it, a picture, or the widget. */
  cut(widget) {
    const root = this.widgets()[widget];
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT, (node) =>
      node.data.trim() && !node.parentElement.closest("option, style, .ddl-drawing svg") ? 1 : 2,
    );
    const found = [];
    while (walker.nextNode()) {
      const range = document.createRange();
      range.selectNodeContents(walker.currentNode);
      const text = range.getBoundingClientRect();
      if (!text.width) continue;
      for (let box = walker.currentNode.parentElement; box; box = box === root ? null : box.parentElement) {
        const { overflowX } = getComputedStyle(box);
        if (box !== root && (overflowX === "auto" || overflowX === "scroll")) break; // the reader moves it
        if (box !== root && overflowX === "visible") continue;
        const { left, right } = box.getBoundingClientRect();
        if (text.left < left - 1 || text.right > right + 1) found.push(walker.currentNode.data.trim());
      }
    }
    return found;
  },
  controls(widget) {
    const kinds = "button, input, select, textarea, summary, a[href], [tabindex]:not(pre)";
    const off = (control) => control.disabled || control.getAttribute("aria-disabled") === "true";
    const usable = (control) => control.tabIndex >= 0 && !off(control) && control.getClientRects().length;
    return [...this.widgets()[widget].querySelectorAll(kinds)].filter(usable);
  },
  /** The control with the focus: how it is called, and whether the focus can be seen; null outside of the widget. */
  focused(widget) {
    const control = document.activeElement;
    if (!this.widgets()[widget].contains(control)) return null;
    const { outlineStyle, outlineWidth } = getComputedStyle(control);
    const seen = outlineStyle !== "none" && parseFloat(outlineWidth) >= 2;
    return { seen, usable: this.controls(widget).includes(control), name: this.called(control) };
  },
  called(control) {
    return control.getAttribute("aria-label") ?? (control.labels?.[0] ?? control).textContent;
  },
  names(widget) {
    return this.controls(widget).map(this.called);
  },
};
