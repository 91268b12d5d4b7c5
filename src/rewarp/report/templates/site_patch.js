// --- patch ----------------------------------------------------------------------------------
const PATCHES = data.ports.flatMap(port => patchFiles(port.patch || "").map(file => ({ ...file, port })));

function unquoted(name) {
  if (!name.startsWith('"')) return name;
  const bytes = [], inner = name.slice(1, -1), plain = { n: 10, t: 9, r: 13, '"': 34, "\\": 92 };
  for (let i = 0; i < inner.length; i++) {
    if (inner[i] !== "\\") bytes.push(...new TextEncoder().encode(inner[i]));
    else if (/[0-3]/.test(inner[i + 1])) { bytes.push(parseInt(inner.slice(i + 1, i + 4), 8)); i += 3; }
    else bytes.push(plain[inner[++i]] || 63);
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}
// A unified diff as files with rows: ["hunk", text], ["same", old, new, text], ["pair", old, text | null, new, text | null].
function patchFiles(text) {
  const files = [], lines = text.split("\n");
  let file = null, i = 0;
  const name = line => unquoted(line.slice(4).replace(/\t$/, "")).replace(/^[ab]\//, "");
  while (i < lines.length) {
    const line = lines[i++];
    if (line.startsWith("diff --git ")) files.push(file = { path: "", kind: "changed", added: 0, cut: 0, rows: [] });
    else if (!file) continue;
    else if (line.startsWith("new file")) file.kind = "added";
    else if (line.startsWith("deleted file")) file.kind = "deleted";
    else if (line.startsWith("--- ") && line !== "--- /dev/null") file.path = name(line);
    else if (line.startsWith("+++ ") && line !== "+++ /dev/null") file.path = name(line);
    else if (line.startsWith("@@ ")) {
      const found = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
      if (!found) continue;
      let [old, oldLeft, now, nowLeft] = [1, 2, 3, 4].map(n => Number(found[n] === undefined ? 1 : found[n])), cuts = [], adds = [];
      const flush = () => {
        for (let k = 0; k < Math.max(cuts.length, adds.length); k++) file.rows.push(["pair", ...(cuts[k] || [null, null]), ...(adds[k] || [null, null])]);
        cuts = []; adds = [];
      };
      file.rows.push(["hunk", line]);
      while ((oldLeft > 0 || nowLeft > 0) && i < lines.length) {  // what a file holds may look like a header: it is counted, not read
        const mark = lines[i][0], rest = lines[i].slice(1); i++;
        if (mark === "-") { if (adds.length) flush(); cuts.push([old++, rest]); oldLeft--; file.cut++; }
        else if (mark === "+") { adds.push([now++, rest]); nowLeft--; file.added++; }
        else if (mark !== "\\") { flush(); file.rows.push(["same", old++, now++, rest]); oldLeft--; nowLeft--; }
      }
      flush();
    }
  }
  return files;
}
// What differs inside two lines, between what they begin and end with alike.
function marked(text, other) {
  if (other === null || text === null) return [text || ""];
  let a = 0, b = 0;
  const most = Math.min(text.length, other.length);
  while (a < most && text[a] === other[a]) a++;
  while (b < most - a && text[text.length - 1 - b] === other[other.length - 1 - b]) b++;
  return a + b < text.length && a + b > 0 ? [text.slice(0, a), el("mark", {}, text.slice(a, text.length - b)), text.slice(text.length - b)] : [text];
}
function diff(file) {
  const number = (n, before) => {
    const href = n === null ? null : address(file.path, n, before ? file.port.state : file.port.becomes);
    return n === null ? "" : href ? el("a", { href, rel: "noreferrer", target: "_blank" }, String(n)) : String(n);
  };
  // A file that was not there before, or is no more, has one side.
  if (file.kind !== "changed") return el("table", { class: "diff one" }, file.rows.filter(row => row[0] === "pair").map(row => {
    const [, old, cut, now, add] = row, gone = now === null;
    return el("tr", { class: "pair" }, el("td", { class: `ln ${gone ? "cut" : "add"}` }, number(gone ? old : now, gone)), el("td", { class: gone ? "cut" : "add" }, gone ? cut : add));
  }));
  return el("table", { class: "diff" }, el("colgroup", {}, ["n", "t", "n", "t"].map(c => el("col", { class: c }))), file.rows.map(row => {
    if (row[0] === "hunk") return el("tr", { class: "hunk" }, el("td", { colspan: "4" }, row[1]));
    if (row[0] === "same") return el("tr", { class: "pair same" }, el("td", { class: "ln old" }, number(row[1], true)), el("td", { class: "old" }, row[3]), el("td", { class: "ln" }, number(row[2], false)), el("td", {}, row[3]));
    const [, old, cut, now, add] = row, side = (n, kind) => n === null ? "gap" : kind;
    return el("tr", { class: "pair" }, el("td", { class: `ln ${side(old, "cut")}` }, number(old, true)), el("td", { class: side(old, "cut") }, marked(cut, add)),
      el("td", { class: `ln ${side(now, "add")}` }, number(now, false)), el("td", { class: side(now, "add") }, marked(add, cut)));
  }));
}
function patch() {
  if (!data.ports.length) return [nothing("No port among the results.", "rewarp port PATH -o rocm.patch --results DIR")];
  const box = [];
  for (const port of data.ports) {
    const d = port.document, mine = PATCHES.filter(f => f.port === port), isolation = (d.verification || []).find(l => l.level === "isolation");
    box.push(el("section", { class: "card verdict", "data-tone": isolation ? tone(isolation.outcome) : "open" },
      el("h2", {}, `${plural(mine.length, "file")} for ${target(d.target)}: +${number(mine.reduce((n, f) => n + f.added, 0))} −${number(mine.reduce((n, f) => n + f.cut, 0))}`),
      el("p", {}, "NVIDIA untouched: ", isolation ? dot(isolation.outcome) : "not checked", isolation ? el("span", {}, ", ", to("proof", "isolation", "the proof, file by file")) : null),
      el("p", {}, `Findings: ${number(d.findings.before.count)} before, ${number(d.findings.after.count)} after, ${number(d.findings.blocking.length)} of them in the way; ${plural(d.phases.flatMap(p => p.manual).length, "place")} left to a person.`), command(port.command)));
    for (const phase of d.phases) {
      const files = mine.filter(f => phase.changes.some(c => c.path === f.path) && !d.phases.some(p => p.number < phase.number && p.changes.some(c => c.path === f.path)));
      if (!phase.changes.length && !phase.manual.length) continue;
      box.push(el("h2", {}, `${phase.number} ${phase.title}`, el("span", { class: "count" }, ` ${plural(files.length, "file")}${phase.manual.length ? `, ${plural(phase.manual.length, "place")} left to a person` : ""}`)));
      box.push(...files.map(f => patched(f, d, isolation)));
      if (phase.manual.length) box.push(el("details", { class: "box" }, el("summary", {}, `left to a person: ${number(phase.manual.length)}`), el("div", { class: "in" }, table(["where", "what", "why", "rule"], phase.manual.map(m => cells(place(m.path, m.line, port.state), m.what, m.why, m.rule ? to("findings", m.rule, m.rule) : ""))))));
    }
    const other = mine.filter(f => !d.phases.some(p => p.changes.some(c => c.path === f.path)));
    if (other.length) box.push(el("h2", {}, "Other files"), ...other.map(f => patched(f, d, isolation)));
  }
  patch.focus = key => { const found = [...document.querySelectorAll("#view-patch details[data-path]")].find(node => node.dataset.path === key); if (found) { found.fill(); found.open = true; } return found || null; };
  return box;
}
function patched(file, d, isolation) {
  const why = d.phases.flatMap(p => p.changes).filter(c => c.path === file.path), proof = isolation && isolation.checks.find(c => c.path === file.path), body = el("div", { class: "scroll" });
  const box = el("details", { class: "box", "data-path": file.path }, el("summary", {}, el("code", {}, file.path), el("span", { class: "n" }, [file.kind, file.added ? `+${number(file.added)}` : "", file.cut ? `−${number(file.cut)}` : ""].filter(Boolean).join(" ")), proof ? el("span", { class: "n" }, "NVIDIA: ", dot(proof.outcome)) : null, related(file.path, "patch")),
    el("div", { class: "in" }, why.map(c => el("p", {}, c.why, " ", c.rules.flatMap(r => [to("findings", r, r), " "]))), proof && proof.why ? el("p", { class: "dim" }, `NVIDIA: ${proof.why}`) : null, el("p", { class: "meta" }, place(file.path, null, file.kind === "added" ? file.port.becomes : file.port.state))), body);
  const fill = () => { if (!body.firstChild) body.append(file.rows.length ? diff(file) : el("p", { class: "none" }, "no lines")); };
  box.addEventListener("toggle", () => box.open && fill());
  box.fill = fill;
  return box;
}

// --- proof ----------------------------------------------------------------------------------
const CHECKS = data.levels.flatMap(level => (level.checks || []).map(check => ({ ...check, level: level.level, state: level.state, command: level.command })));
const ASSUMES = { static: "what a reading of the source shows", build: "the compiler that is named; nothing was run", machine: "AMD machine code on an emulator, not on a card", run: "what was watched while the command ran", numbers: "the recorded inputs, and the tolerances that are named", isolation: "an NVIDIA user has PyTorch built for CUDA, and CUDA's own compiler and headers" };
function proof() {
  if (!data.levels.length && !data.certificates.length) return [nothing("Nothing was verified.", "rewarp verify PATH --results DIR")];
  const state = { level: "", off: new Set(), text: "", shown: PAGE }, rows = el("div", {}), count = el("span", { class: "count" }), tools = el("div", { class: "tools" });
  const draw = () => {
    const hits = CHECKS.filter(c => (!state.level || c.level === state.level) && !state.off.has(c.outcome) && (!state.text || `${c.what} ${c.why} ${c.path}`.toLowerCase().includes(state.text)));
    count.textContent = `${number(hits.length)} of ${plural(CHECKS.length, "check")}`;
    const order = ["failed", "not checked", "passed"];
    rows.replaceChildren(table(["level", "what", "outcome", "why", "where"], [...hits].sort((a, b) => order.indexOf(a.outcome) - order.indexOf(b.outcome)).slice(0, state.shown).map(c => el("tr", { "data-outcome": c.outcome },
      el("td", {}, c.level, el("br", {}), el("span", { class: "dim" }, (data.states[c.state] || {}).label || "")), el("td", { class: "name" }, c.what), el("td", {}, dot(c.outcome)), el("td", { class: "why" }, c.why), el("td", {}, c.path ? place(c.path, c.line, c.state) : "", c.path ? related(c.path, "proof") : null)))));
    if (hits.length > state.shown) rows.append(el("button", { type: "button", onclick: () => { state.shown += PAGE; draw(); } }, `show more (${number(hits.length - state.shown)} left)`));
  };
  const level = el("select", { "aria-label": "level" }, el("option", { value: "" }, "every level"), [...new Set(CHECKS.map(c => c.level))].map(l => el("option", { value: l }, l)));
  level.addEventListener("change", () => { state.level = level.value; draw(); });
  for (const outcome of ["failed", "not checked", "passed"]) if (CHECKS.some(c => c.outcome === outcome)) tools.append(el("button", { type: "button", class: "chip tone", "data-tone": tone(outcome), "aria-pressed": "true", onclick: event => {
    const on = state.off.delete(outcome); if (!on) state.off.add(outcome);
    event.currentTarget.setAttribute("aria-pressed", String(on)); draw();
  } }, outcome));
  const text = el("input", { type: "search", placeholder: "file, kernel or reason", "aria-label": "filter checks" });
  text.addEventListener("input", () => { state.text = text.value.toLowerCase(); draw(); });
  tools.append(level, text, count); draw();
  proof.focus = key => {
    const known = [...level.options].some(o => o.value === key);
    state.level = level.value = known ? key : ""; state.text = text.value = known || !key ? "" : key; state.text = state.text.toLowerCase(); draw();
    return key ? tools : null;
  };
  return [el("p", { class: "dim" }, "Not checked is not passed: each such line says why."), el("div", { class: "tiles" }, data.levels.map(levelTile)), ...data.certificates.map(certificate), ...data.levels.filter(l => (l.details || {}).units).map(built), el("h2", {}, "Checks"), tools, rows];
}
function levelTile(l) {
  return el("div", { class: "tile", "data-tone": tone(l.outcome), "data-level": l.level }, el("h3", {}, to("proof", l.level, l.level), " ", dot(l.outcome)), el("p", {}, Object.entries(l.counts || {}).filter(([, n]) => n).map(([o, n]) => `${number(n)} ${o}`).join(", ")),
    el("p", { class: "dim" }, `${(data.states[l.state] || {}).label || ""}${l.by === "port" ? ", by the port itself" : ""}; assumes ${ASSUMES[l.level] || "what its document says"}`), command(l.command));
}
function certificate(c) {
  const d = c.document;
  return el("section", { class: "card verdict", "data-tone": tone(d.verdict) }, el("h2", {}, "Certificate for NVIDIA: ", dot(d.verdict)), el("p", {}, d.claim), el("p", { class: "dim" }, `${d.before.name} (${(d.before.revision || "a folder").slice(0, 12)}) against ${d.after.name}; ${Object.entries(d.counts).filter(([, n]) => n).map(([v, n]) => `${number(n)} ${v}`).join(", ")}`),
    el("details", {}, el("summary", {}, `the ${plural(d.files.length, "file")}`), table(["file", "verdict", "method", "why"], d.files.map(f => el("tr", {}, el("td", {}, place(f.path, null, c.state), related(f.path, "proof")), el("td", {}, dot(f.verdict)), el("td", {}, f.method), el("td", { class: "why" }, f.why))))),
    el("details", {}, el("summary", {}, `assumed: ${number(d.assumptions.length)}`), el("ul", {}, d.assumptions.map(a => el("li", {}, a)))));
}
// Units and kernels by architecture.
function built(l) {
  const arches = l.provenance.arches || [], marks = { passed: "✓", failed: "✗", "not checked": "–" };
  const cell = outcome => el("td", { class: "tone", "data-tone": tone(outcome), title: outcome || "not there" }, marks[outcome] || "–");
  const figures = k => k ? el("td", { title: `${k.vgprs} VGPRs, ${k.lds_bytes} bytes of LDS${k.occupancy ? `, ${k.occupancy.waves} of ${k.occupancy.most} waves` : ""}` }, `${k.vgprs}${k.lds_bytes ? ` ${k.lds_bytes} B` : ""}${k.occupancy ? ` ${k.occupancy.waves}/${k.occupancy.most}` : ""}`, k.vgpr_spills || k.sgpr_spills ? el("span", { class: "tone", "data-tone": "open" }, " spills") : null) : el("td", {}, "–");
  return el("section", { class: "card" }, el("h2", {}, "Compiled for AMD"), el("p", { class: "dim" }, `${(l.provenance.compilers || []).map(c => `${c.clang} (${c.kind}), HIP ${c.hip}`).join("; ")}; ${(data.states[l.state] || {}).label || ""}; nothing was run`),
    table(["unit", ...arches], l.details.units.map(u => el("tr", {}, el("td", {}, place(u.path, null, l.state), related(u.path, "proof")), arches.map(a => cell((u.arches[a] || {}).outcome)))), { class: "matrix" }),
    (l.details.kernels || []).length ? el("div", {}, el("h3", {}, "Kernels: VGPRs, LDS, waves per SIMD"), table(["kernel", ...arches], l.details.kernels.map(k => el("tr", {}, el("td", {}, el("code", {}, k.name)), arches.map(a => figures(k.arches[a])))), { class: "matrix" })) : null);
}
