// Everything is built as nodes with textContent: scanned code is data, never markup.
function el(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === "onclick") node.addEventListener("click", value); else if (value !== null) node.setAttribute(name, value);
  }
  for (const child of children.flat()) if (child !== null) node.append(child);
  return node;
}
function number(n) { return n.toLocaleString("en"); }

function theme() {
  const root = document.documentElement;
  root.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  document.getElementById("theme").addEventListener("click", () => {
    root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
  });
}
