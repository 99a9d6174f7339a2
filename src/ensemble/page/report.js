"use strict";
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const at = (id) => document.getElementById(id);
  // Texts of files are inserted as text, never as markup.
  function add(parent, tag, text, classes) {
    const made = document.createElement(tag);
    if (text !== undefined && text !== null) made.textContent = text;
    if (classes) made.className = classes;
    parent.appendChild(made);
    return made;
  }
  function draw(parent, tag, attributes, text) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const name in attributes) made.setAttribute(name, attributes[name]);
    if (text !== undefined) made.textContent = text;
    parent.appendChild(made);
    return made;
  }
  const bytes = (n) => {
    const units = ["B", "kB", "MB", "GB", "TB", "PB"];
    let k = 0;
    while (n >= 1000 && k < units.length - 1) { n /= 1000; ++k; }
    return (k === 0 ? n : n.toFixed(1)) + " " + units[k];
  };
  const many = (n, what) => n + " " + what + (n === 1 ? "" : "s");

  // --- the files --------------------------------------------------------------------------------------------------
  const word = (k) => (k < 0 ? "" : data.words[k]);
  const files = data.files.map((f) => ({
    path: (word(f[0]) ? word(f[0]) + "/" : "") + f[1], format: word(f[2]), kind: word(f[3]), lattice: word(f[4]), precision: word(f[5]),
    size: f[6], trajectory: f[7], plaquette: f[8], state: word(f[9]), verified: f[10] === null ? "" : f[10], checksum: f[11],
    series: word(f[12]), far: f[13] === 1, parity: f[14] ? "yes" : "", ensemble: f[15]
  }));
  // Quantities with histories; each file has the measured ones.
  const quantities = ["plaquette"].concat(data.observables.names.filter((name, k) => name !== "flow_time" && data.observables.files.some((f) => f[k + 1] !== null)));
  for (const [number, ...values] of data.observables.files) data.observables.names.forEach((name, k) => { files[number][name] = values[k]; });
  const histories = data.histories.map((h) => ({ ...h, series: word(h.series) }));
  const isMany = data.ensembles.length > 1;
  // 0.59371(12): the error in units of the last digits.
  function withError(value, error) {
    if (!(error > 0)) return value.toFixed(8);
    const digits = Math.min(12, Math.max(0, Math.ceil(-Math.log10(error)) + 1));
    return value.toFixed(digits) + "(" + Math.round(error * 10 ** digits) + ")";
  }
  const columns = [
    ["path", "file", false], ["trajectory", "trajectory", true], ["plaquette", "plaquette", true], ["state", "state", false],
    ["format", "format", false], ["kind", "kind", false], ["lattice", "lattice", false], ["precision", "precision", false],
    ["size", "size", true], ["checksum", "checksum", false], ["verified", "verified", false], ["parity", "parity", false]
  ];
  const shown = { query: "", state: "", ensemble: "", sort: "", down: false, rows: 200, quantity: "plaquette" };
  const mood = { sound: "good", consistent: "fair", unproven: "bad", damaged: "bad", incomplete: "bad", unreadable: "bad", missing: "warn" };

  // State in the address after "#": q, state, ensemble, sort, quantity; so that a view can be saved and shared.
  function readAddress() {
    const wanted = new URLSearchParams(location.hash.slice(1));
    shown.query = wanted.get("q") || "";
    shown.state = wanted.get("state") || "";
    shown.ensemble = wanted.get("ensemble") || "";
    shown.quantity = wanted.get("quantity") || "plaquette";
    const sort = wanted.get("sort") || "";
    shown.down = sort.startsWith("-");
    shown.sort = shown.down ? sort.slice(1) : sort;
  }
  function writeAddress() {
    const parts = new URLSearchParams();
    if (shown.query) parts.set("q", shown.query);
    if (shown.state) parts.set("state", shown.state);
    if (shown.ensemble) parts.set("ensemble", shown.ensemble);
    if (shown.sort) parts.set("sort", (shown.down ? "-" : "") + shown.sort);
    if (shown.quantity !== "plaquette") parts.set("quantity", shown.quantity);
    history.replaceState(null, "", "#" + parts.toString());
  }
  function chosen() {
    const terms = shown.query.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (f) => (!shown.state || f.state === shown.state) &&
      (!shown.ensemble || (f.ensemble >= 0 && data.ensembles[f.ensemble].name === shown.ensemble)) && terms.every((t) =>
      (f.path + " " + f.format + " " + f.kind + " " + f.lattice + " " + f.precision + " " + f.state + " " + (f.checksum || "") + " " +
        (f.trajectory === null ? "" : f.trajectory)).toLowerCase().includes(t));
    const found = files.filter(fits);
    const key = shown.sort;
    if (columns.some((c) => c[0] === key)) {
      const sign = shown.down ? -1 : 1;
      found.sort((a, b) => {
        const x = a[key], y = b[key];
        if (x === null || x === "") return y === null || y === "" ? 0 : 1;
        if (y === null || y === "") return -1;
        return sign * (x < y ? -1 : x > y ? 1 : 0);
      });
    }
    return found;
  }
  function showTable() {
    const found = chosen();
    const body = at("rows");
    body.textContent = "";
    const part = document.createDocumentFragment();
    for (const f of found.slice(0, shown.rows)) {
      const row = add(part, "tr");
      for (const [key, , isNumber] of columns) {
        let text = f[key];
        if (text === null || text === undefined) text = "";
        else if (key === "size") text = bytes(text);
        else if (key === "plaquette") text = text.toFixed(8);
        const cell = add(row, "td", text, isNumber ? "number" : key === "state" ? mood[text] : "");
        if (key === "plaquette" && f.far) cell.classList.add("bad");
      }
    }
    body.appendChild(part);
    at("count").textContent = found.length === files.length ? many(files.length, "file") : found.length + " of " + many(files.length, "file");
    at("more").hidden = found.length <= shown.rows;
    at("table").dataset.found = found.length;
    for (const head of at("heads").children) {
      const isSorted = head.dataset.key === shown.sort;
      head.setAttribute("aria-sort", isSorted ? (shown.down ? "descending" : "ascending") : "none");
      head.firstChild.textContent = head.dataset.title + (isSorted ? (shown.down ? " ↓" : " ↑") : "");
    }
  }
  function change() { shown.rows = 200; writeAddress(); showTable(); }
  function makeTable() {
    for (const [key, title, isNumber] of columns) {
      const head = add(at("heads"), "th", null, isNumber ? "number" : "");
      head.scope = "col";
      head.dataset.key = key;
      head.dataset.title = title;
      add(head, "button", title).addEventListener("click", () => {
        shown.down = shown.sort === key && !shown.down;
        shown.sort = key;
        change();
      });
    }
    add(at("state"), "option", "every state").value = "";
    for (const state of [...new Set(files.map((f) => f.state))].sort()) add(at("state"), "option", state).value = state;
    add(at("ensemble"), "option", "every ensemble").value = "";
    for (const one of data.ensembles) add(at("ensemble"), "option", one.name).value = one.name;
    at("ensemble").hidden = !isMany;
    at("ensemble").addEventListener("change", () => { shown.ensemble = at("ensemble").value; change(); });
    at("query").addEventListener("input", () => { shown.query = at("query").value; change(); });
    at("state").addEventListener("change", () => { shown.state = at("state").value; change(); });
    at("more").addEventListener("click", () => { shown.rows += 1000; showTable(); });
    window.addEventListener("hashchange", () => { readAddress(); fillTools(); showTable(); });
    readAddress();
    fillTools();
    showTable();
  }
  function fillTools() { at("query").value = shown.query; at("state").value = shown.state; at("ensemble").value = shown.ensemble; }
  // On paper the button "more" cannot be used.
  const mostOnPaper = 5000;
  window.addEventListener("beforeprint", () => { shown.rows = mostOnPaper; showTable(); });
  window.addEventListener("afterprint", () => { shown.rows = 200; showTable(); });

  // --- the ensembles ----------------------------------------------------------------------------------------------
  const distinct = (values) => [...new Set(values.filter((v) => v !== "" && v !== null))];
  function makeEnsembles() {
    data.ensembles.forEach((one, number) => {
      const its = files.filter((f) => f.ensemble === number && f.state !== "missing");
      const box = add(at("ensembles"), "section", null, "ensemble");
      add(box, "h3", one.name);
      add(box, "p", one.folder, "quiet");
      const list = add(box, "dl");
      const say = (term, text, classes) => { if (text) { add(list, "dt", term); add(list, "dd", text, classes); } };
      say("files", String(its.length));
      say("lattice", distinct(its.map((f) => f.lattice)).slice(0, 4).join(", "));
      say("kind", distinct(its.map((f) => (f.kind + " " + f.precision).trim())).slice(0, 4).join(", "));
      for (const [name, value] of one.facts) say(name, value);
      const bad = its.filter((f) => mood[f.state] === "bad").length;
      say("not sound", bad ? String(bad) : "", "bad");
      for (const h of histories.filter((h) => h.ensemble === number).sort((a, b) => b.count - a.count).slice(0, 3)) {
        say("plaquette", withError(h.mean, h.error) + " from " + many(h.count, "configuration"));
        if (h.error > 0) say("autocorrelation", "\u03c4 = " + withError(h.tau, h.tau_error) + " configurations");
      }
    });
  }

  // --- what changed -----------------------------------------------------------------------------------------------
  function makeChanges() {
    const place = at("changes"), changes = data.changes;
    if (!changes) { at("changed").hidden = true; return; }
    const kinds = [["added", "new", ""], ["rewritten", "rewritten", "warn"], ["gone", "no longer in the catalogue", "warn"],
      ["failed", "damaged, incomplete, unreadable or missing since", "bad"], ["verified", "found sound or consistent since", "good"]];
    add(place, "p", "Since the page of " + changes.since.replace("T", " ") + ":", "quiet");
    let any = false;
    for (const [key, text, classes] of kinds) {
      const found = changes[key];
      if (!found.count) continue;
      any = true;
      const box = add(place, "details");
      box.open = found.count <= 10;
      add(box, "summary", found.count + " " + text, classes);
      const list = add(box, "ul");
      for (const path of found.paths) add(list, "li", path);
      if (found.count > found.paths.length) add(list, "li", "and " + (found.count - found.paths.length) + " more");
    }
    if (!any) add(place, "p", "Nothing changed.", "good");
  }

  // --- numbers at the top -----------------------------------------------------------------------------------------
  function makeCards() {
    const count = (state) => files.filter((f) => f.state === state).length;
    const cards = [
      [files.length - count("missing"), "files", ""], [bytes(files.filter((f) => f.state !== "missing").reduce((sum, f) => sum + f.size, 0)), "of data", ""],
      [count("sound"), "verified and sound", ""], [count("consistent"), "consistent, without an exact checksum", ""],
      [count("indexed"), "not verified yet", ""], [count("unproven"), "unproven", "bad"], [count("damaged"), "damaged", "bad"], [count("incomplete"), "incomplete", "bad"], [count("unreadable"), "unreadable", "bad"],
      [files.filter((f) => f.parity).length, "protected by parity", ""],
      [count("missing"), "missing", "warn"], [data.gaps.reduce((sum, g) => sum + g.count, 0), "trajectories missing", "warn"],
      [data.duplicates.length, "sets of duplicates", "warn"], [data.outliers, "outliers", "warn"],
      [data.remarks.length, "other findings", "warn"]
    ];
    for (const [value, label, classes] of cards) {
      const card = add(at("cards"), "div", null, "card" + (value && classes ? " " + classes : ""));
      add(card, "b", value);
      add(card, "span", label, "quiet");
    }
  }

  // --- plaquettes -------------------------------------------------------------------------------------------------
  function makePlots(name, quantity = "plaquette") {
    const isKnown = (f) => f[quantity] !== null && f[quantity] !== undefined;
    const points = files.filter((f) => f.series === name && isKnown(f) && f.state !== "missing");
    const place = at("plots");
    place.textContent = "";
    if (points.length === 0) { add(place, "p", "No " + quantity + " is known for these files.", "quiet"); return; }
    const ordered = points.slice().sort((a, b) => (a.trajectory === null ? 0 : a.trajectory) - (b.trajectory === null ? 0 : b.trajectory));
    const xs = ordered.map((f, k) => (f.trajectory === null ? k : f.trajectory)), ys = ordered.map((f) => f[quantity]);
    // Numbers of damaged files may be arbitrary: they do not affect the scale, and are drawn at its edge.
    const whole = ordered.filter((f) => !["damaged", "incomplete", "unreadable"].includes(f.state)).map((f) => f[quantity]);
    const scale = whole.length ? whole : ys;
    let low = scale.reduce((a, b) => Math.min(a, b)), high = scale.reduce((a, b) => Math.max(a, b));
    if (high - low < 1e-12) { low -= 1e-6; high += 1e-6; }
    const first = xs[0], last = Math.max(xs[xs.length - 1], first + 1), beyond = ys.filter((y) => y < low || y > high).length;
    const { wide, left } = sizes(place), tall = 260, below = 28, above = 10;
    const px = (x) => left + (x - first) / (last - first) * (wide - left - 12);
    const py = (y) => above + (high - y) / (high - low) * (tall - above - below);
    const figure = add(place, "figure");
    const svg = draw(figure, "svg", { viewBox: "0 0 " + wide + " " + tall, role: "img", "aria-label": quantity + " by trajectory", id: "history" });
    draw(svg, "path", { class: "axis", d: "M" + left + " " + above + "V" + (tall - below) + "H" + (wide - 12) });
    for (const y of ticks(low, high)) {
      draw(svg, "path", { class: "grid", d: "M" + left + " " + py(y).toFixed(1) + "H" + (wide - 12) });
      draw(svg, "text", { x: left - 6, y: py(y) + 4, "text-anchor": "end" }, y.toFixed(decimals(low, high)));
    }
    draw(svg, "text", { x: left, y: tall - 6 }, String(first));
    draw(svg, "text", { x: wide - 12, y: tall - 8, "text-anchor": "end" }, String(xs[xs.length - 1]));
    const inside = (y) => Math.min(tall - below, Math.max(above, py(y)));
    const dots = (which) => ordered.map((f, k) => ((quantity === "plaquette" && f.far) === which ? "M" + px(xs[k]).toFixed(1) + " " + inside(ys[k]).toFixed(1) + "h0" : "")).join("");
    const sorted = ys.slice().sort((a, b) => a - b), median = sorted[sorted.length >> 1];
    const history = quantity === "plaquette" ? histories.find((h) => h.series === name) : undefined;
    if (history && history.error > 0) {
      const top = inside(history.mean + history.error), bottom = inside(history.mean - history.error);
      draw(svg, "rect", { class: "band", x: left, y: top.toFixed(1), width: wide - left - 12, height: Math.max(1, bottom - top).toFixed(1) });
    }
    draw(svg, "path", { class: "middle", d: "M" + left + " " + py(history ? history.mean : median).toFixed(1) + "H" + (wide - 12) });
    const stretches = history ? history.stretches : [];
    draw(svg, "path", { class: stretches.length ? "points faint" : "points", d: dots(false) });
    draw(svg, "path", { class: "errors", id: "errors", d: stretches.map(([from, to, mean, error]) => {
      const x = px((from + to) / 2).toFixed(1), high = inside(mean + error).toFixed(1), low = inside(mean - error).toFixed(1);
      return "M" + x + " " + high + "V" + low + "M" + (x - 3) + " " + high + "h6M" + (x - 3) + " " + low + "h6";
    }).join("") });
    draw(svg, "path", { class: "means", d: stretches.map(([from, to, mean]) => "M" + px((from + to) / 2).toFixed(1) + " " + inside(mean).toFixed(1) + "h0").join("") });
    draw(svg, "path", { class: "far", d: dots(true) });
    const called = quantity[0].toUpperCase() + quantity.slice(1);
    let caption = called + " by trajectory, " + many(points.length, "configuration") + ", median " + median.toFixed(8) +
      (quantity === "plaquette" ? "; outliers in red." : ".");
    if (history && history.error > 0) {
      caption += " Mean " + withError(history.mean, history.error) + " without outliers and damaged files; the error uses the " +
        "autocorrelation time \u03c4 = " + withError(history.tau, history.tau_error) + " configurations (Gamma method, for equidistant configurations)";
      caption += stretches.length ? "; bars: means of sections with their errors." : ".";
    }
    if (beyond) caption += " " + many(beyond, "damaged file") + (beyond === 1 ? " is" : " are") + " outside the scale and drawn at its edge.";
    add(figure, "figcaption", caption);
    makeHistogram(add(place, "figure"), ys.filter((y) => y >= low && y <= high), low, high, quantity);
  }
  // The size of a plot in its pixels, so that its texts keep their size on a phone.
  function sizes(place) {
    const wide = Math.max(280, Math.min(760, place.clientWidth || 760));
    return { wide, left: wide < 500 ? 70 : 100 };
  }
  // Round numbers from low to high, about four of them.
  function step(low, high) {
    const rough = (high - low) / 4, power = 10 ** Math.floor(Math.log10(rough));
    return [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough);
  }
  const decimals = (low, high) => Math.min(15, Math.max(0, -Math.floor(Math.log10(step(low, high)) + 1e-9)));
  function ticks(low, high) {
    const by = step(low, high), all = [];
    for (let k = Math.ceil(low / by - 1e-9); k * by <= high + by * 1e-9; ++k) all.push(k * by);
    return all;
  }
  function makeHistogram(figure, ys, low, high, quantity) {
    const bins = Math.max(5, Math.min(60, Math.round(Math.sqrt(ys.length)))), counts = new Array(bins).fill(0);
    for (const y of ys) ++counts[Math.min(bins - 1, Math.floor((y - low) / (high - low) * bins))];
    const { wide, left } = sizes(figure), tall = 180, below = 28, most = Math.max(...counts), each = (wide - left - 12) / bins;
    const svg = draw(figure, "svg", { viewBox: "0 0 " + wide + " " + tall, role: "img", "aria-label": "distribution of " + quantity, id: "distribution" });
    counts.forEach((n, k) => draw(svg, "rect", { class: "bars", x: (left + k * each + 1).toFixed(1), width: Math.max(1, each - 2).toFixed(1),
      y: (tall - below - n / most * (tall - below - 10)).toFixed(1), height: (n / most * (tall - below - 10)).toFixed(1) }));
    draw(svg, "path", { class: "axis", d: "M" + left + " " + (tall - below) + "H" + (wide - 12) });
    draw(svg, "text", { x: left, y: tall - 6 }, low.toFixed(decimals(low, high) + 1));
    draw(svg, "text", { x: wide - 12, y: tall - 8, "text-anchor": "end" }, high.toFixed(decimals(low, high) + 1));
    draw(svg, "text", { x: left - 6, y: 18, "text-anchor": "end" }, String(most));
    add(figure, "figcaption", quantity === "plaquette" ? "Distribution of the plaquette." : "Distribution of " + quantity + ".");
  }
  // "b6.0/conf.*.ildg": the folder common to all series is omitted.
  function shortSeries(name) {
    const its = files.find((f) => f.series === name);
    if (!its || its.ensemble < 0) return name;
    const one = data.ensembles[its.ensemble];
    return name.startsWith(one.folder + "/") ? (isMany ? one.name + "/" : "") + name.slice(one.folder.length + 1) : name;
  }
  function makeSeries() {
    const counts = new Map();
    const hasHistory = (f) => quantities.some((name) => f[name] !== null && f[name] !== undefined);
    for (const f of files) if (hasHistory(f)) counts.set(f.series, (counts.get(f.series) || 0) + 1);
    const names = [...counts.keys()].sort((a, b) => counts.get(b) - counts.get(a));
    for (const name of names) add(at("series"), "option", shortSeries(name) + " (" + counts.get(name) + ")").value = name;
    at("series").hidden = names.length < 2;
    for (const quantity of quantities) add(at("quantity"), "option", quantity).value = quantity;
    at("quantity").hidden = quantities.length < 2;
    if (quantities.includes(shown.quantity)) at("quantity").value = shown.quantity;
    const plot = () => makePlots(at("series").value || names[0], at("quantity").value);
    at("series").addEventListener("change", plot);
    at("quantity").addEventListener("change", () => { shown.quantity = at("quantity").value; writeAddress(); plot(); });
    plot();
  }

  // --- damage -----------------------------------------------------------------------------------------------------
  function makeDamage() {
    if (data.damage.length === 0) { add(at("damaged"), "p", "No file is known to be damaged.", "good"); return; }
    for (const file of data.damage) {
      const box = add(at("damaged"), "div", null, "damage");
      add(box, "b", file.path);
      add(box, "p", file.state, "bad");
      const size = Math.max(file.size, 1), { wide } = sizes(box), x = (offset) => Math.min(offset, size) / size * wide;
      const svg = draw(box, "svg", { viewBox: "0 0 " + wide + " 46", role: "img", "aria-label": "map of the file" });
      draw(svg, "rect", { class: "file", x: 0, y: 4, width: wide, height: 22 });
      for (const [offset, length] of file.payloads) {
        draw(svg, "rect", { class: "payload", x: x(offset), y: 4, width: Math.max(1, x(offset + length) - x(offset)), height: 22 });
      }
      for (const [offset, length] of file.hurt) {
        draw(svg, "rect", { class: "hurt", x: Math.min(x(offset), wide - 3), y: 2, width: Math.max(3, x(offset + length) - x(offset)), height: 26 });
      }
      draw(svg, "text", { x: 0, y: 43 }, "byte 0");
      draw(svg, "text", { x: wide, y: 43, "text-anchor": "end" }, String(file.size));
      const list = add(box, "ul");
      for (const message of file.messages) add(list, "li", message);
      if (file.slices.length) add(list, "li", "damaged time slices: " + file.slices.join(", "));
    }
  }

  // --- missing and duplicate files --------------------------------------------------------------------------------
  function makeMissing() {
    const place = at("missing");
    const gone = files.filter((f) => f.state === "missing");
    if (gone.length === 0 && data.gaps.length === 0) add(place, "p", "No trajectory between the first and the last is missing, and no earlier file.", "good");
    for (const gaps of data.gaps) {
      add(place, "p", gaps.series + ": " + many(gaps.count, "trajectory").replace(/trajectorys/, "trajectories") + " of " + gaps.first + " to " + gaps.last + " in steps of " + gaps.step + " missing: " +
        gaps.missing.join(", ") + (gaps.count > gaps.missing.length ? ", ..." : ""));
    }
    if (gone.length) {
      add(place, "p", "Files that no longer exist:");
      const list = add(place, "ul");
      for (const f of gone.slice(0, 1000)) add(list, "li", f.path, "warn");
      if (gone.length > 1000) add(list, "li", "and " + (gone.length - 1000) + " more: #state=missing");
    }
    if (data.remarks.length > 0) {
      add(place, "p", "Unusual values:");
      const remarks = add(place, "ul");
      for (const [rule, sentence] of data.remarks) add(remarks, "li", rule + ": " + sentence, "warn");
    }
    if (data.duplicates.length === 0) return;
    add(place, "p", "Files with the same data:");
    const list = add(place, "ul");
    for (const same of data.duplicates) add(list, "li", same.paths.join(" = ") + (same.count > same.paths.length ? " and " + (same.count - same.paths.length) + " more" : ""));
  }

  makeCards();
  makeEnsembles();
  makeChanges();
  makeTable();
  makeSeries();
  makeDamage();
  makeMissing();
  document.body.dataset.ready = "yes";
})();
