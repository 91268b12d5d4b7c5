// --- what all parts use ---------------------------------------------------------------------
const SEVERITIES = ["crash", "build-fail", "wrong-result", "runs-on-cpu", "perf", "info"], PAGE = 200, WORST = ["bad", "open", "good", "none"];
const plural = (n, word) => `${number(n)} ${word}${n === 1 ? "" : "s"}`;
const worst = words => WORST.find(t => words.map(tone).includes(t)) || "none";
const dot = word => el("span", { class: "tone", "data-tone": tone(word) }, el("span", { class: "dot" }), word);
// A name that is no plain one gets a number: no address of this page, or of a forge, holds what a stranger wrote.
const PLAIN = /^[\w@+~ ()[\].,-][\w@+~ ()[\].,/-]*$/, ODD = [];
function keyed(key) { if (PLAIN.test(key)) return encodeURIComponent(key); if (!ODD.includes(key)) ODD.push(key); return `~${ODD.indexOf(key)}`; }
const hash = (part, key) => `#${part}${key === undefined ? "" : `/${keyed(String(key))}`}`;
const to = (part, key, ...words) => el("a", { href: hash(part, key) }, ...words);
const at = seconds => seconds >= 100 ? `${Math.round(seconds)} s` : `${seconds.toPrecision(3)} s`;
const when = text => text.replace("T", " ").replace("+00:00", " UTC");

function copy(text, what) {
  const button = el("button", { type: "button", class: "copy", title: `copy ${what || text}` , "data-copy": text, onclick: event => {
    event.preventDefault(); event.stopPropagation();
    const done = () => { button.textContent = "copied"; button.classList.add("done"); setTimeout(() => { button.textContent = "copy"; button.classList.remove("done"); }, 1200); };
    const byHand = () => { const box = el("textarea", {}); box.value = text; document.body.append(box); box.select(); document.execCommand("copy"); box.remove(); done(); };
    if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, byHand); else byHand();
  } }, "copy");
  return button;
}
// Our own sentences: what stands between backquotes is code.
const prose = text => String(text).split("`").map((part, i) => i % 2 ? el("code", {}, part) : part);
const command = text => el("div", { class: "cmd" }, el("code", {}, text), copy(text, "the command"));

// Where a line of the source is: on the forge at the commit, or on this machine. Only what the report itself put together leads anywhere.
function address(path, line, state) {
  const link = (data.states[state] || {}).link;
  if (!link || !/^(https|file):\/\//.test(link) || !path || !PLAIN.test(path) || path.startsWith("/") || path.split("/").includes("..")) return null;
  return link + path.split("/").map(encodeURIComponent).join("/") + (line && link.startsWith("https:") ? `#L${line}` : "");
}
function place(path, line, state) {
  const text = line ? `${path}:${line}` : path, href = address(path, line, state);
  return el("span", {}, href ? el("a", { href, class: "mono", rel: "noreferrer", target: "_blank" }, text) : el("code", {}, text), copy(text));
}
const table = (heads, rows, more) => el("div", { class: "scroll" }, el("table", more || {}, el("tr", {}, heads.map(h => el("th", {}, h))), rows));
const cells = (...all) => el("tr", {}, all.map(c => el("td", {}, c === undefined ? "" : c)));
const nothing = (words, line) => el("div", { class: "card" }, el("p", {}, words), line ? command(line) : null);

// The lowest kind, with how much it stands on; or why there is no score.
const scored = score => score.computable ? `${score.lowest.percent} % of ${plural(score.lowest.counted, score.lowest.kind)}, the lowest kind${score.lowest.unknown ? `; ${number(score.lowest.unknown)} unknown` : ""}` : `no score: ${score.blocked_by[0] || "too little was seen"}`;
const stateOf = tree => (data.states[tree] || {}).label || "";
const target = name => data.targets[name] || name;
const kernel = name => data.kernels[name] || name;
const several = (n, word) => n > 1 ? ` and ${plural(n - 1, word)} more` : "";

// --- overview -------------------------------------------------------------------------------
function overview() {
  const box = [];
  for (const { document: scan, state } of data.scans) {
    const v = scan.verdict, s = scan.summary;
    box.push(el("section", { class: "card verdict", "data-tone": tone(v.conclusion) }, el("h1", {}, `${scan.title}: ${v.conclusion}`), el("p", {}, stateOf(state) === "as it is" ? "" : el("b", {}, `Scanned ${stateOf(state)}: `), prose(v.headline)),
      el("ul", {}, v.reasons.map(r => el("li", {}, prose(r)))), el("p", {}, prose(v.effort.text)), v.strategy ? el("p", {}, el("b", {}, `C++ strategy: ${v.strategy.approach}. `), v.strategy.reasons.join(" ")) : null,
      el("p", { class: "dim" }, `A reading of ${plural(s.files_scanned, "file")}, ${plural(s.lines, "line")}; the scan ran nothing.${s.diff_base ? ` Only lines changed since ${s.diff_base}.` : ""}${s.hidden_by_baseline ? ` ${plural(s.hidden_by_baseline, "known finding")} hidden by a baseline.` : ""}`)));
  }
  if (!data.scans.length) box.push(nothing("No scan of these files is among the results: there is no verdict.", "rewarp scan PATH --results DIR"));
  box.push(el("div", { class: "tiles" }, tiles()), left(), provenance());
  return box;
}

function tile(part, title, tone, lines, ask) {
  return el("div", { class: "tile", "data-tone": tone, "data-part": part }, el("h3", {}, to(part, undefined, title)), lines.map(line => el("p", {}, line)), ask ? command(ask) : null);
}
function tiles() {
  const found = [];
  for (const { document: scan, state } of data.scans) {
    const counting = scan.findings.filter(f => f.standing === "counts"), inWay = scan.verdict.phases.reduce((n, p) => n + p.blocking, 0), rest = scan.findings.length - counting.length;
    found.push(tile("findings", data.scans.length > 1 ? `Findings for ${scan.title}` : "Findings", inWay ? "bad" : "good", [`${stateOf(state)}: ${number(inWay)} in the way, of ${plural(counting.length, "finding")} in the project itself`, ...(rest ? [`${number(rest)} more about installing, tests, examples, what is not built`] : [])]));
  }
  for (const port of data.ports) {
    const files = PATCHES.filter(f => f.port === port), d = port.document, isolation = (d.verification || []).find(l => l.level === "isolation"), manual = d.phases.flatMap(p => p.manual).length;
    found.push(tile("patch", `Patch for ${target(d.target)}`, !isolation ? "open" : isolation.outcome === "passed" && !d.done ? "open" : tone(isolation.outcome), [`${plural(files.length, "file")}, +${number(files.reduce((n, f) => n + f.added, 0))} −${number(files.reduce((n, f) => n + f.cut, 0))}`,
      el("span", {}, "NVIDIA untouched: ", isolation ? dot(isolation.outcome) : "not checked"), `as ported: ${plural(d.findings.blocking.length, "finding")} in the way`, manual ? `${plural(manual, "place")} left to a person` : "nothing left to a person"]));
  }
  if (!data.ports.length) found.push(tile("patch", "Patch", "none", ["no port among the results"], "rewarp port PATH -o rocm.patch --results DIR"));
  const levels = data.levels.concat(data.certificates.map(c => ({ level: "isolation", outcome: ({ "proved identical": "passed", different: "failed" })[c.document.verdict] || "not checked", counts: {}, state: c.state })));
  const said = new Set(), once = levels.filter(l => { const key = `${l.level} ${l.outcome} ${l.state}`, is = !said.has(key); said.add(key); return is; });
  found.push(levels.length ? tile("proof", "Proof", worst(levels.map(l => l.outcome)), once.map(l => el("span", {}, to("proof", l.level, l.level), " ", dot(l.outcome), el("span", { class: "dim" }, ` ${(data.states[l.state] || {}).label || ""}`))))
    : tile("proof", "Proof", "none", ["nothing was verified"], "rewarp verify PATH --results DIR"));
  const runs = programs();
  found.push(runs.length ? tile("runs", "Machine runs", worst(runs.map(r => r.outcome)), runs.slice(0, 4).map((r, i) => el("span", {}, to("runs", i, `${r.name}${several(r.others.length + 1, "file")}`), " ", dot(r.outcome))).concat(runs.length > 4 ? [`${number(runs.length - 4)} more`] : [])) : tile("runs", "Machine runs", "none", ["no program was run as AMD machine code"], "rewarp verify machine PATH --results DIR"));
  if (data.parities.length) for (const p of data.parities.map(p => p.document)) found.push(tile("parity", `Parity: ${p.a} and ${p.b}`, "none", [scored(p.score), `${plural(p.units.filter(u => u.verdict === "gap").length, "gap")} in ${plural(p.units.length, "unit")}`]));
  const measured = data.benches.flatMap(b => b.document.results);
  if (measured.length || data.comparisons.length) found.push(tile("benchmarks", "Benchmarks", "none", [plural(measured.length, "run"), ...data.comparisons.map(c => c.document.headline)]));
  return found;
}
function left() {
  const rows = data.ports.flatMap(port => port.document.phases.flatMap(phase => phase.manual.map(m => cells(data.ports.length > 1 ? `${target(port.document.target)}, ${phase.title}` : phase.title, place(m.path, m.line, port.state), m.what, m.why))));
  return rows.length ? el("details", { class: "box", open: rows.length <= 12 ? "" : null }, el("summary", {}, el("b", {}, "Left to a person"), el("span", { class: "n" }, number(rows.length))), el("div", { class: "in" }, table(["phase", "where", "what", "why"], rows))) : null;
}
function provenance() {
  const state = tree => { const s = data.states[tree] || {}; return `${s.label || "other"}${s.commit ? `, commit ${s.commit.slice(0, 12)}${s.clean === false ? " and changes" : s.clean === null ? ", not compared" : ""}` : ", no commit"}, tree ${tree.slice(0, 12)}`; };
  const box = el("details", { class: "box", id: "pieces", open: data.stale.length ? "" : null }, el("summary", {}, el("b", {}, "Where this comes from"), el("span", { class: "n" }, `${plural(data.pieces.length, "piece")}, rewarp ${data.rewarp}`)),
    el("div", { class: "in" }, data.pieces.map(p => el("div", { class: "item" }, el("b", {}, `${p.kind} ${p.about}`), el("div", { class: "meta" }, `${state(p.tree)}; ${when(p.made)}`), command(p.command)))));
  const old = data.stale.length ? el("section", { class: "card verdict", id: "stale", "data-tone": "open" }, el("h2", {}, `${plural(data.stale.length, "piece")} left out: stale`), el("p", { class: "dim" }, "They do not match the others, and nothing of them is on these pages. Run them again."),
    data.stale.map(p => el("div", { class: "item" }, el("b", {}, `${p.kind} ${p.about}`), ` ${p.why}`, el("div", { class: "meta" }, `${p.commit ? `commit ${p.commit.slice(0, 12)}; ` : ""}rewarp ${p.rewarp}; ${when(p.made)}`), command(p.command)))) : null;
  const bad = data.unreadable.length ? el("details", { class: "box" }, el("summary", {}, `${plural(data.unreadable.length, "file")} among the results that could not be read`), el("div", { class: "in" }, data.unreadable.map(u => el("p", {}, el("code", {}, u.file), ` ${u.why}`)))) : null;
  return el("div", {}, old, box, bad);
}

// --- findings -------------------------------------------------------------------------------
const FINDINGS = data.scans.flatMap(scan => scan.document.findings.map(f => ({ ...f, scan: scan.document, state: scan.state }))).map((f, id) => ({ ...f, id: `f${id}` }));
const filter = { off: new Set(data.scans.length ? data.scans[0].document.off : []), target: "", rule: "", text: "", shown: PAGE };

function findings() {
  if (!data.scans.length) return [nothing("No scan among the results.", "rewarp scan PATH --results DIR")];
  const list = el("div", {}), count = el("span", { class: "count" }), tools = el("div", { class: "tools" });
  const visible = f => !filter.off.has(f.severity) && (!filter.target || f.scan.target === filter.target) && (!filter.rule || f.rule === filter.rule) && (!filter.text || `${f.path} ${f.rule} ${f.symbol} ${f.message} ${f.snippet}`.toLowerCase().includes(filter.text));
  const draw = () => {
    const hits = FINDINGS.filter(visible), shown = hits.slice(0, filter.shown);
    count.textContent = `${number(hits.length)} of ${number(FINDINGS.length)}`;
    list.replaceChildren();
    for (const [scan, info] of data.scans.flatMap(s => s.document.parts.map(part => [s.document, part]))) {
      const mine = shown.filter(f => f.scan === scan && f.standing === info.standing);
      if (!mine.length) continue;
      const files = new Map();
      for (const f of mine) (files.get(f.path) || files.set(f.path, []).get(f.path)).push(f);
      list.append(el("h2", {}, data.scans.length > 1 ? `${scan.title}: ${info.title}` : info.title), el("p", { class: "dim" }, info.note), ...[...files].map(([path, items]) => el("details", { class: "box", open: hits.length <= 60 || info.standing === "counts" ? "" : null },
        el("summary", { class: "mono" }, path, el("span", { class: "n" }, number(items.length)), related(path)), items.map(finding))));
    }
    if (!hits.length) list.append(el("p", { class: "none" }, FINDINGS.length ? "Nothing passes these filters." : "No findings."));
    if (hits.length > filter.shown) list.append(el("button", { type: "button", onclick: () => { filter.shown += PAGE; draw(); } }, `show more (${number(hits.length - filter.shown)} left)`));
  };
  for (const severity of SEVERITIES) {
    const n = FINDINGS.filter(f => f.severity === severity).length;
    if (n) tools.append(el("button", { type: "button", class: "chip", "data-severity": severity, "aria-pressed": String(!filter.off.has(severity)), style: `color:var(--${severity})`, onclick: event => {
      const on = filter.off.delete(severity); if (!on) filter.off.add(severity);
      event.currentTarget.setAttribute("aria-pressed", String(on)); draw();
    } }, severity, " ", el("b", {}, number(n))));
  }
  const targets = el("select", { "aria-label": "target", hidden: data.scans.length > 1 ? null : "" }, el("option", { value: "" }, "every target"), data.scans.map(s => el("option", { value: s.document.target }, s.document.title)));
  targets.addEventListener("change", () => { filter.target = targets.value; draw(); });
  const rules = el("select", { "aria-label": "rule" }, el("option", { value: "" }, "every rule"), [...new Set(FINDINGS.map(f => f.rule))].sort().map(r => el("option", { value: r }, r)));
  rules.addEventListener("change", () => { filter.rule = rules.value; draw(); });
  const text = el("input", { type: "search", placeholder: "file, rule, symbol or text", "aria-label": "filter findings" });
  text.addEventListener("input", () => { filter.text = text.value.toLowerCase(); draw(); });
  tools.append(targets, rules, text, count); draw();
  findings.focus = key => {  // a finding by its id, or everything of a rule or file
    filter.target = filter.rule = filter.text = targets.value = rules.value = text.value = ""; filter.shown = PAGE;
    const one = FINDINGS.find(f => f.id === key);
    if (one) { filter.off.delete(one.severity); filter.target = targets.value = one.scan.target; filter.text = one.path.toLowerCase(); text.value = one.path; }
    else if (FINDINGS.some(f => f.rule === key)) { filter.rule = rules.value = key; filter.off.clear(); }
    else if (key) { filter.text = key.toLowerCase(); text.value = key; filter.off.clear(); }
    tools.querySelectorAll(".chip").forEach(c => c.setAttribute("aria-pressed", String(!filter.off.has(c.dataset.severity))));
    draw();
    return one ? document.getElementById(one.id) : null;
  };
  return [tools, list];
}

function finding(f) {
  const rule = f.scan.rules[f.rule], [first, lines] = f.context || [f.line, [f.snippet]];
  const ports = data.ports.filter(p => p.document.target === f.scan.target), manual = ports.flatMap(p => p.document.phases.flatMap(x => x.manual)).find(m => m.rule === f.rule && m.path === f.path && m.line === f.line);
  const changed = !manual && ports.some(p => p.document.phases.some(x => x.changes.some(c => c.path === f.path && c.rules.includes(f.rule))));
  return el("div", { class: "item", id: f.id, tabindex: "-1", "data-rule": f.rule, "data-severity": f.severity },
    el("div", {}, el("span", { class: "badge", style: `color:var(--${f.severity})` }, f.severity), el("code", { class: "dim" }, f.rule), " ", f.message),
    el("div", { class: "meta" }, place(f.path, f.line, f.state), changed ? el("span", {}, " · ", to("patch", f.path, "changed in the patch")) : null, manual ? ` · left to a person: ${manual.why}` : null),
    el("pre", {}, lines.map((line, i) => el("span", { class: first + i === f.line ? "hit" : null }, el("i", {}, String(first + i)), line))),
    el("details", {}, el("summary", { class: "dim" }, `why, and what to do (fix ${f.safety}; effort ${f.effort})`), el("p", {}, rule.why), f.fix ? el("p", {}, el("b", {}, "Fix: "), f.fix) : null,
      el("p", { class: "meta" }, `${rule.title}. Versions: ${rule.versions}. `, /^https:\/\//.test(rule.source) ? el("a", { href: rule.source, rel: "noreferrer" }, "source") : rule.source, " ", copy(`rewarp explain ${f.rule}`, "the command"))));
}
// What else the report says of a file.
function related(path, from) {
  const links = [], checks = CHECKS.filter(c => c.path === path);
  if (from !== "findings" && from && FINDINGS.some(f => f.path === path)) links.push(to("findings", path, "findings"));
  if (from !== "patch" && PATCHES.some(f => f.path === path)) links.push(to("patch", path, "patch"));
  if (from !== "proof" && checks.length) links.push(el("span", { class: "tone", "data-tone": worst(checks.map(c => c.outcome)) }, to("proof", path, "proof")));
  return links.length ? el("span", { class: "n" }, links.flatMap((link, i) => i ? [" · ", link] : [link])) : null;
}
