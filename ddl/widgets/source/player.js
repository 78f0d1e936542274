// The player: a graph that is walked forward and backward, one op at a time.

export function render({ model, el }) {
  const draw = () => {
    const { nodes, title } = model.get("data");
    const list = document.createElement("ol");
    list.ariaLabel = title || "graph";
    for (const node of nodes) {
      const item = document.createElement("li");
      item.dataset.node = node.id;
      item.dataset.value = String(node.value);
      item.dataset.grad = String(node.grad);
      item.textContent = `${node.name || node.op}: value ${node.value}, grad ${node.grad}`;
      list.append(item);
    }
    el.replaceChildren(list);
  };
  draw();
  model.on("change:data", draw);
  return () => {
    model.off("change:data", draw);
    el.replaceChildren();
  };
}
