// The page in a notebook: a frame that is kept apart, and messages between it and the kernel. Notebooks load this as a
// module (anywidget); it is no part of the page.

function render({ model, el }) {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts");
  frame.title = "GraphFSA Playground";
  frame.style.cssText = "width: 100%; height: 760px; border: 0";
  frame.srcdoc = model.get("page");
  const hear = (event) => {
    if (event.source !== frame.contentWindow || event.data?.playground !== "changed") return;
    model.set("found", event.data.scene);
    model.save_changes();
  };
  const show = () => frame.contentWindow?.postMessage({ playground: "show", scene: model.get("wanted") }, "*");
  window.addEventListener("message", hear);
  model.on("change:wanted", show);
  el.append(frame);
  return () => {
    window.removeEventListener("message", hear);
    model.off("change:wanted", show);
  };
}

export default { render };
