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

// Good, bad, open: a page that passed is not red, and what was not checked is not green.
const TONES = { passed: "good", failed: "bad", "not checked": "open", "proved identical": "good", different: "bad", "not provable": "open",
  "supports the target already": "good", "runs as it is": "good", "runs after automatic changes": "good", "needs manual work": "open",
  "needs parts written anew": "bad", "cannot be told": "open" };
function tone(word) { return TONES[word] || "none"; }
