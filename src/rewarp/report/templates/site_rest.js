// --- machine runs ---------------------------------------------------------------------------
function programs() {
  const found = [];
  for (const level of data.levels) for (const p of (level.details || {}).programs || []) {
    const check = (level.checks || []).find(c => c.path === p.path && c.what.includes(p.arch)) || (level.checks || []).find(c => c.path === p.path) || {};
    found.push({ name: p.path, others: [], state: level.state, arch: p.arch, outcome: check.outcome || "not checked", why: check.why || "", ended: p.ended, seconds: p.seconds, kernels: p.kernels || [], alarms: p.alarms || [], limits: [], notes: p.notes || [], how: `as ${p.arch} code on ${level.provenance.where === "machine" ? "an emulator" : level.provenance.where}`, command: level.command });
  }
  for (const r of data.runs) {
    const d = r.document, [first, ...others] = d.programs || [], name = first || "program", base = { name, others, state: r.state, command: r.command, notes: d.notes || [], kernels: [], alarms: [], limits: [] };
    if (d.failed) found.push({ ...base, arch: "", outcome: d.exit_code === 3 ? "not checked" : "failed", why: `${d.failed}: ${d.reason}`, ended: "it did not run", seconds: null, how: "" });
    for (const run of d.runs || []) found.push({ ...base, arch: run.arch, outcome: !run.complete ? "not checked" : run.alarms.some(a => !a.is_remark) || run.exit_status ? "failed" : "passed", why: (d.differences || []).map(x => x.words).join("; "), ended: run.ending, seconds: run.seconds, kernels: run.kernels, alarms: run.alarms, limits: [...run.limits, ...run.missing.map(m => `not in the runtime: ${m}`), ...run.unsupported.map(u => `not supported: ${u.instruction} in ${u.kernel}`)], how: run.how });
  }
  return found;
}
function runs() {
  const all = programs();
  if (!all.length) return [nothing("No program was run as AMD machine code.", "rewarp verify machine PATH --results DIR"), el("p", {}, "Or one program:"), command("rewarp run PROGRAM --results DIR")];
  runs.focus = key => key ? document.getElementById(`run-${key}`) : null;
  return [el("p", { class: "dim" }, "What ran as AMD machine code on an emulator did not run on a card."), ...all.map((r, i) => el("section", { class: "card verdict", id: `run-${i}`, tabindex: "-1", "data-tone": tone(r.outcome) },
    el("h2", {}, place(r.name, null, r.state), `${several(r.others.length + 1, "file")} `, dot(r.outcome)), el("p", {}, [r.how, r.ended, r.seconds === null ? "" : at(r.seconds), (data.states[r.state] || {}).label].filter(Boolean).join("; ")), r.why ? el("p", {}, r.why) : null,
    r.kernels.length ? kernels(r.kernels) : null,
    r.alarms.map(a => el("div", { class: "item" }, el("span", { class: "badge", style: `color:var(--${a.is_remark ? "info" : "crash"})` }, a.is_remark ? "remark" : "alarm"), a.file ? place(a.file, a.line, r.state) : null, ` ${a.what}: ${a.text}${a.count > 1 ? ` (${number(a.count)} times)` : ""}`)),
    r.limits.map(text => el("p", {}, `A limit: ${text}`)), r.notes.map(note => el("p", { class: "dim" }, note)), command(r.command)))];
}

function kernels(all) {
  const timed = all.some(k => k.seconds !== undefined);
  return table(["kernel", "launches", ...(timed ? ["seconds"] : [])], all.map(k => cells(el("code", {}, kernel(k.name)), number(k.launches), ...(timed ? [k.seconds === undefined ? "–" : k.seconds.toFixed(3)] : []))));
}

// --- parity ---------------------------------------------------------------------------------
function parity() {
  if (!data.parities.length) return [nothing("No comparison of two back ends among the results.", "rewarp parity PATH --results DIR")];
  parity.focus = key => { if (key) document.querySelectorAll("#view-parity .tools input").forEach(box => { box.value = key; box.dispatchEvent(new Event("input")); }); return null; };
  return data.parities.flatMap(p => {
    const d = p.document, rows = el("div", {}), text = el("input", { type: "search", placeholder: "unit, kind or verdict", "aria-label": "filter units" });
    const draw = () => rows.replaceChildren(table(["unit", "verdict", d.a, d.b, "lacking"], d.units.filter(u => `${u.key} ${u.verdict}`.toLowerCase().includes(text.value.toLowerCase())).slice(0, 500).map(u => el("tr", {}, el("td", { class: "name" }, el("b", {}, u.owner ? `${u.owner}::${u.name}` : u.name), el("br", {}), el("span", { class: "dim" }, u.kind)),
      el("td", {}, u.verdict, u.waived ? " (waived)" : ""), ...[u.a, u.b].map(side => el("td", { class: "why" }, side.status, side.why ? el("span", { class: "dim" }, ` ${side.why}`) : null, side.evidence.slice(0, 3).map(e => el("div", {}, place(e.path, e.line, p.state))))), el("td", {}, u.lacking.join(", "))))));
    text.addEventListener("input", draw); draw();
    return [el("section", { class: "card verdict" }, el("h2", {}, `${d.a} and ${d.b}: ${d.score.computable ? scored(d.score) : "no score"}`), el("p", { class: "dim" }, d.claim, ...(d.coverage || []).map(c => ` ${number(c.seen)} of ${number(c.total)} ${c.what} seen.`)), d.score.blocked_by.length ? el("ul", {}, d.score.blocked_by.map(b => el("li", {}, b))) : null,
      table(["kind", "score", "counted"], d.score.kinds.map(k => cells(k.kind, k.percent === null ? "–" : `${k.percent} %`, number(k.counted)))), command(p.command)), el("div", { class: "tools" }, text), rows];
  });
}

// --- benchmarks -----------------------------------------------------------------------------
function benchmarks() {
  if (!data.benches.length && !data.comparisons.length) return [nothing("No benchmark among the results.", "rewarp bench logs LOG --results DIR")];
  const known = v => v && v.value !== null && v.value !== undefined, digits = n => n.toLocaleString("en", { maximumSignificantDigits: 4 }), amount = (n, unit) => unit === "bytes" || unit === "B" ? `${digits(n / 2 ** 30)} GiB` : `${digits(n)}${unit ? ` ${unit}` : ""}`;
  const figure = (v, unit) => !known(v) ? el("span", { class: "dim", title: v ? v.source : "" }, "unknown") : el("span", { title: v.source }, typeof v.value === "number" ? amount(v.value, unit) : String(v.value));
  const runs = data.benches.flatMap(b => b.document.results.map(r => el("tr", {}, el("td", { class: "name" }, el("b", {}, r.name), el("br", {}), el("span", { class: "dim" }, r.kind)), el("td", {}, figure(r.device.name), known(r.device.count) ? ` × ${r.device.count.value}` : ""), el("td", {}, figure(r.configuration.precision)), el("td", {}, r.summary.time_s ? at(r.summary.time_s.median) : "unknown"), el("td", {}, figure(r.derived.tokens_per_s)), el("td", {}, figure(r.derived.tflops_per_device)), el("td", {}, figure(r.derived.mfu)), el("td", { class: "why" }, r.warnings.map(w => el("div", { style: w.severity === "error" ? "color:var(--crash)" : null }, w.what))))));
  const compared = data.comparisons.map(c => el("section", { class: "card verdict" }, el("h2", {}, c.document.headline), c.document.benchmarks.map(b => el("div", {}, el("h3", {}, b.name), b.pairs.map(pair => el("div", {}, el("p", {}, el("b", {}, `${b.runs[pair.run].label}: ${pair.verdict}`)), pair.refused.map(x => el("p", {}, typeof x === "string" ? x : x.why || JSON.stringify(x))), pair.banners.map(x => el("p", { class: "dim" }, x.text)),
    table(["figure", "baseline", "run", "ratio", "interval"], pair.figures.map(f => cells(f.title || f.name, figure(f.baseline, f.unit), figure(f.run, f.unit), f.ratio === null || f.ratio === undefined ? "–" : f.ratio.toFixed(3), f.low === null || f.low === undefined ? "–" : `${f.low.toFixed(3)} to ${f.high.toFixed(3)}`))))))), command(c.command)));
  return [el("p", { class: "dim" }, "What is not known is unknown; the source of each figure is shown when it is pointed at."), runs.length ? table(["run", "device", "precision", "median step", "tokens/s", "TFLOP/s a device", "MFU", "remarks"], runs) : null, ...compared, ...data.benches.map(b => command(b.command))].filter(Boolean);
}

// --- what has no part of its own ------------------------------------------------------------
function more() {
  const plain = value => value === null || typeof value !== "object", words = key => /^[a-z][a-z0-9_]*$/.test(key) ? key.replaceAll("_", " ") : key, text = value => value === null ? "–" : typeof value === "boolean" ? (value ? "yes" : "no") : typeof value === "number" ? number(value) : String(value);
  const list = (value, depth) => {
    if (!value.length) return "none";
    if (value.every(plain) && value.length <= 12) return value.map(text).join(", ");
    const rows = value.slice(0, 300), flat = rows.every(row => !plain(row) && !Array.isArray(row) && Object.values(row).every(plain)), heads = flat ? [...new Set(rows.flatMap(Object.keys))] : [];
    return el("details", {}, el("summary", {}, plural(value.length, "item")), flat ? table(heads.map(words), rows.map(row => cells(...heads.map(head => text(row[head] === undefined ? null : row[head]))))) : el("ol", {}, rows.map(row => el("li", {}, shown(row, depth + 1)))));
  };
  const shown = (value, depth) => plain(value) ? text(value) : depth > 5 ? "…" : Array.isArray(value) ? list(value, depth)
    : el("table", {}, Object.entries(value).filter(([key]) => depth || !["schema", "schema_version", "rewarp"].includes(key)).slice(0, 300).map(([key, v]) => cells(el("span", { class: "key" }, words(key)), shown(v, depth + 1))));
  return data.more.map(m => el("section", { class: "card" }, el("h2", {}, m.kind), command(m.command), shown(m.document, 0)));
}

// --- the page -------------------------------------------------------------------------------
const PARTS = [
  { id: "overview", title: "Overview", make: overview, has: true },
  { id: "findings", title: "Findings", make: findings, has: data.scans.length, n: FINDINGS.length },
  { id: "patch", title: "Patch", make: patch, has: data.ports.length, n: PATCHES.length },
  { id: "proof", title: "Proof", make: proof, has: data.levels.length + data.certificates.length, n: CHECKS.length },
  { id: "runs", title: "Machine runs", make: runs, has: programs().length, n: programs().length },
  { id: "parity", title: "Parity", make: parity, has: data.parities.length, n: data.parities.reduce((n, p) => n + p.document.units.length, 0) },
  { id: "benchmarks", title: "Benchmarks", make: benchmarks, has: data.benches.length + data.comparisons.length, n: data.benches.reduce((n, b) => n + b.document.results.length, 0) + data.comparisons.reduce((n, c) => n + c.document.benchmarks.length, 0) },
  ...(data.more.length ? [{ id: "more", title: "More", make: more, has: true, n: data.more.length }] : []),
];
function made(part) {
  const box = document.getElementById(`view-${part.id}`);
  if (box.firstChild) return box;
  try { box.append(...(part.id === "overview" ? [] : [el("h2", {}, part.title)]), ...part.make().filter(Boolean)); }
  catch (error) { box.append(el("div", { class: "card verdict", "data-tone": "open" }, el("p", {}, `This part could not be shown: a piece is not as it should be (${error.message}).`))); }
  return box;
}
function show() {
  const [id, ...rest] = location.hash.slice(1).split("/"), part = PARTS.find(p => p.id === id) || PARTS[0], key = rest.length ? decoded(rest.join("/")) : undefined;
  made(part);
  for (const p of PARTS) {
    document.getElementById(`view-${p.id}`).classList.toggle("shown", p === part);
    document.getElementById(`nav-${p.id}`).setAttribute("aria-current", p === part ? "page" : "false");
  }
  document.querySelectorAll(".at").forEach(node => node.classList.remove("at"));
  document.getElementById(`nav-${part.id}`).scrollIntoView({ block: "nearest", inline: "nearest" });
  const target = key !== undefined && part.make.focus ? part.make.focus(key) : null;
  if (target) { target.classList.add("at"); scrollTo(0, target.getBoundingClientRect().top + scrollY - document.getElementById("top").offsetHeight - 10); } else scrollTo(0, 0);
}
function decoded(text) { if (/^~\d+$/.test(text)) return ODD[Number(text.slice(1))]; try { return decodeURIComponent(text); } catch { return text; } }

function matches(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean), hit = line => words.every(w => line.toLowerCase().includes(w)), found = [];
  const add = (part, key, title, about) => { if (found.length < 60 && hit(`${title} ${about}`)) found.push({ part, key, title, about }); };
  for (const f of FINDINGS) add("findings", f.id, `${f.path}:${f.line}`, `${f.rule} ${f.severity} ${f.message} ${f.snippet}`.slice(0, 300));
  for (const f of PATCHES) { const row = f.rows.find(r => r[0] !== "hunk" && hit(`${f.path} ${r[r.length - 1] || ""} ${r[2] || ""}`)); add("patch", f.path, f.path, row ? String(row[row.length - 1] || row[2] || "").slice(0, 300) : f.kind); }
  for (const c of CHECKS) add("proof", c.path || c.level, c.what, `${c.outcome} ${c.why} ${c.path || ""}`);
  programs().forEach((r, i) => add("runs", i, r.name, `${r.how} ${r.outcome} ${r.why} ${r.kernels.map(k => kernel(k.name)).join(" ")}`));
  for (const p of data.parities) for (const u of p.document.units) add("parity", u.key, u.key, `${u.verdict} ${u.a.why} ${u.b.why}`);
  for (const b of data.benches) for (const r of b.document.results) add("benchmarks", undefined, r.name, r.kind);
  return found;
}
function search() {
  const box = document.getElementById("search"), hits = document.getElementById("hits");
  let on = -1;
  const close = () => { hits.hidden = true; on = -1; };
  const draw = () => {
    if (!box.value.trim()) return close();
    const found = matches(box.value);
    hits.replaceChildren(...(found.length ? found.map(h => el("a", { href: hash(h.part, h.key), onclick: close }, el("small", {}, `${h.part} `), el("b", {}, h.title), " ", el("small", {}, h.about))) : [el("p", { class: "none" }, "Nothing found.")]));
    hits.hidden = false; on = -1;
  };
  box.addEventListener("input", draw);
  box.addEventListener("keydown", event => {
    const links = [...hits.querySelectorAll("a")];
    if (event.key === "Escape") { close(); box.blur(); }
    if (event.key === "ArrowDown" || event.key === "ArrowUp") { event.preventDefault(); on = Math.max(0, Math.min(links.length - 1, on + (event.key === "ArrowDown" ? 1 : -1))); links.forEach((a, i) => a.classList.toggle("on", i === on)); if (links[on]) links[on].scrollIntoView({ block: "nearest" }); }
    if (event.key === "Enter" && links.length) { const link = links[Math.max(0, on)]; close(); box.blur(); location.hash = link.getAttribute("href"); }
  });
  document.addEventListener("click", event => { if (!hits.contains(event.target) && event.target !== box) close(); });
}
function keys() {
  const help = document.getElementById("help"), rows = [["/", "search everything"], ["1 … 8", "the parts of the report"], ["j  k", "next and previous finding, file or program"], ["Enter", "open or close it"], ["t", "light or dark"], ["?", "these keys"], ["Esc", "close"]];
  help.append(el("h3", {}, "Keys"), el("table", {}, rows.map(([k, what]) => cells(el("kbd", {}, k), what))));
  document.getElementById("keys").addEventListener("click", () => help.showModal());
  help.addEventListener("click", () => help.close());
  addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName)) return;
    const items = [...document.querySelectorAll(".view.shown .item, .view.shown details.box, .view.shown section.card")].filter(node => node.offsetParent), current = items.findIndex(node => node.classList.contains("at"));
    if (event.key === "/") { event.preventDefault(); document.getElementById("search").focus(); }
    else if (event.key === "?") help.showModal();
    else if (event.key === "t") document.getElementById("theme").click();
    else if (/^[1-8]$/.test(event.key) && PARTS[event.key - 1]) location.hash = PARTS[event.key - 1].id;
    else if ((event.key === "j" || event.key === "k") && items.length) {
      const next = items[Math.max(0, Math.min(items.length - 1, current + (event.key === "j" ? 1 : -1)))];
      items.forEach(node => node.classList.toggle("at", node === next));
      next.scrollIntoView({ block: "center" });
    } else if (event.key === "Enter" && items[current] && document.activeElement === document.body) { const box = items[current].tagName === "DETAILS" ? items[current] : items[current].querySelector("details"); if (box) box.open = !box.open; }
  });
}
function start() {
  const commit = data.states[data.subject];
  document.title = `${data.name}: rewarp report`;
  document.getElementById("name").append(data.name, el("small", { class: "dim" }, commit && commit.commit ? ` at ${commit.commit.slice(0, 12)}` : ""));
  for (const part of PARTS) {
    document.getElementById("nav").append(el("a", { href: `#${part.id}`, id: `nav-${part.id}`, class: part.has ? null : "empty" }, part.title, part.n ? el("span", { class: "n" }, number(part.n)) : null));
    document.getElementById("views").append(el("section", { class: part.has ? "view" : "view empty", id: `view-${part.id}`, "aria-label": part.title }));
  }
  addEventListener("hashchange", show);
  let folded = [];
  addEventListener("beforeprint", () => { PARTS.filter(p => p.has).map(made); folded = [...document.querySelectorAll("details:not([open])")].filter(node => !node.closest("#view-more")); folded.forEach(node => { if (node.fill) node.fill(); node.open = true; }); });
  addEventListener("afterprint", () => folded.forEach(node => { node.open = false; }));
  theme(); search(); keys(); show();
}
