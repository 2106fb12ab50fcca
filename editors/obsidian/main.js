// Paper Agents in Obsidian: tools and forms in the sidebar, runs as they go on, questions with their difference, undo.
//
// Everything goes through `paper serve`: its validation, its gate, its records. On a desktop the plugin starts one for
// this vault; on a phone it speaks to one that it was paired with. Whatever comes from there is shown as text, never as
// HTML or Markdown: a model's answer must not load pictures from elsewhere.
"use strict";

const {
  FileSystemAdapter, FuzzySuggestModal, ItemView, Modal, Notice, Platform, Plugin, PluginSettingTab, Setting,
  getLanguage, requestUrl, setIcon,
} = require("obsidian");

const VIEW = "paper-agents";
const KEPT = "paper-agents";
const LOOK_SECONDS = 5;
const MOST_SHOWN = 100;
const LONGEST_SHOWN = 20000;
// Keys that were meant for the note are no answer to a question that has just come up.
const DEAF_MILLISECONDS = 600;
const PATH_NAMES = /^(file_?path|path|note|file)$/i;

// English, German, Chinese: the words of the pages.
const WORDS = readWords(`
tools|Tools|Tools|工具
agents|Agents|Agenten|智能体
inbox|Inbox|Eingang|待批
built-in|Built in|Eingebaut|内置
search-tools|Search tools|Tools suchen|搜索工具
nothing-found|Nothing found.|Nichts gefunden.|未找到。
more-by-search|{count} more; a search finds them.|{count} weitere; eine Suche findet sie.|还有 {count} 个，可通过搜索找到。
recent-runs|Recent runs|Letzte Läufe|最近的运行
back|Back|Zurück|返回
reload|Reload|Neu laden|刷新
run|Run|Ausführen|运行
dry-run|Dry run|Probelauf|试运行
would-ask|would ask|würde fragen|需要询问
plan|What would happen|Was geschehen würde|将会发生什么
plan-about|Nothing has been changed.|Es wurde nichts geändert.|未做任何更改。
cancel|Cancel|Abbrechen|取消
run-again|Run again with changes|Mit Änderungen wiederholen|修改后再次运行
required|required|erforderlich|必填
choose|Choose …|Wählen …|请选择…
one-per-line|One per line|Eines je Zeile|每行一个
not-json|This is not JSON.|Das ist kein JSON.|这不是 JSON。
no-input|This tool needs no input.|Dieses Tool braucht keine Eingaben.|此工具无需输入。
not-a-tool|The open note is no tool that can be used.|Die offene Notiz ist kein benutzbares Tool.|当前笔记不是可用的工具。
choose-tool|Choose a tool|Tool wählen|选择工具
result|Result|Ergebnis|结果
steps|Steps|Schritte|步骤
copy|Copy|Kopieren|复制
copied|Copied|Kopiert|已复制
undo|Undo|Rückgängig machen|撤销
undone|undone|rückgängig gemacht|已撤销
status.running|Running|Läuft|运行中
status.queued|Queued|Eingereiht|排队中
status.waiting|Waits for you|Wartet auf Sie|等待您的决定
status.succeeded|Succeeded|Gelungen|成功
status.failed|Failed|Fehlgeschlagen|失败
status.denied|Denied|Abgelehnt|已拒绝
status.cancelled|Cancelled|Abgebrochen|已取消
status.planned|Planned|Geplant|已规划
step.running|runs|läuft|运行中
step.success|done|erledigt|完成
step.error|failed|fehlgeschlagen|失败
step.denied|denied|abgelehnt|已拒绝
step.skipped|skipped|ausgelassen|已跳过
step.waiting|waits|wartet|等待中
asks|Something waits for you|Etwas wartet auf Sie|有事项等待您决定
asks-for|Something waits for you: {tool}|Etwas wartet auf Sie: {tool}|有事项等待您决定：{tool}
inbox-empty|Nothing waits for you.|Nichts wartet auf Sie.|没有待您决定的事项。
arguments|The exact arguments|Die genauen Argumente|确切的参数
approve|Approve|Genehmigen|批准
approve-chosen|Approve the chosen|Ausgewähltes genehmigen|批准所选
approve-for-run|Approve this and the rest of the run|Das und den Rest des Laufs genehmigen|批准此项及本次运行的其余部分
approve-together|Approve, collect the rest and ask once|Genehmigen, den Rest sammeln und einmal fragen|批准，并将其余更改汇总后一次询问
other-answers|Other answers|Weitere Antworten|其他答复
deny|Deny|Ablehnen|拒绝
reason|Reason for a no|Begründung für ein Nein|拒绝的理由
later|Decide later|Später entscheiden|稍后决定
change.created|new|neu|新建
change.changed|changed|geändert|已更改
change.deleted|deleted|gelöscht|已删除
hunk|Change {number} of {count}|Änderung {number} von {count}|第 {number} 处更改，共 {count} 处
said-approve|Approved.|Genehmigt.|已批准。
said-deny|Denied.|Abgelehnt.|已拒绝。
you|You|Sie|您
agent|Agent|Agent|智能体
ask-agent|Your message|Ihre Nachricht|您的消息
send|Send|Senden|发送
thinks|thinks …|denkt nach …|思考中…
new-conversation|New conversation|Neues Gespräch|新对话
failed|That did not work.|Das hat nicht geklappt.|操作未成功。
unreachable|Paper Agents cannot be reached.|Paper Agents ist nicht erreichbar.|无法连接 Paper Agents。
not-paired|Not paired yet. Run paper serve pair, and type the code in the settings of this plugin.|Noch nicht gekoppelt. Führen Sie paper serve pair aus und geben Sie den Code in den Einstellungen dieses Plugins ein.|尚未配对。请运行 paper serve pair，并在此插件的设置中输入配对码。
not-started|'{command}' could not be started: {reason}|„{command}“ ließ sich nicht starten: {reason}|无法启动 “{command}”：{reason}
starting|Paper Agents is starting …|Paper Agents startet …|Paper Agents 正在启动…
connect|Connect|Verbinden|连接
connected|Connected with {address}|Verbunden mit {address}|已连接 {address}
open-settings|Open the settings|Einstellungen öffnen|打开设置
address|Address of the server|Adresse des Servers|服务地址
address-about|Empty: a server is started on this computer. On a phone: the address of a computer on which paper serve runs.|Leer: Auf diesem Rechner wird ein Server gestartet. Auf einem Telefon: die Adresse eines Rechners, auf dem paper serve läuft.|留空：在本机启动服务。在手机上：填写运行 paper serve 的计算机地址。
unencrypted|This address is not encrypted: others in the same network can read along. https or a VPN prevents that.|Diese Adresse ist unverschlüsselt: Andere im selben Netz können mitlesen. https oder ein VPN verhindert das.|此地址未加密：同一网络中的其他人可能读取内容。请使用 https 或 VPN。
not-an-address|An address starts with http:// or https://|Eine Adresse beginnt mit http:// oder https://|地址须以 http:// 或 https:// 开头
code|Pairing code|Kopplungscode|配对码
code-about|paper serve shows one, and paper serve pair a new one.|paper serve zeigt einen, paper serve pair einen neuen.|paper serve 会显示配对码；用 paper serve pair 获取新的。
pair|Pair|Koppeln|配对
paired-as|Paired as {name}|Gekoppelt als {name}|已配对，名称 {name}
paired-about|paper serve token revoke {name} takes that back.|paper serve token revoke {name} nimmt das zurück.|可用 paper serve token revoke {name} 撤销。
unpair|Forget the pairing|Kopplung vergessen|忘记配对
program|Program|Programm|程序
program-about|What is started on this computer. The whole path, where paper is not found.|Was auf diesem Rechner gestartet wird. Der ganze Pfad, wenn paper nicht gefunden wird.|在本机启动的程序。若找不到 paper，请填写完整路径。
starts|Start the server with Obsidian|Den Server mit Obsidian starten|随 Obsidian 启动服务
command-open|Open the sidebar|Seitenleiste öffnen|打开侧边栏
command-note|Run the tool of this note|Das Tool dieser Notiz ausführen|运行此笔记中的工具
command-selection|Run a tool on the selection|Ein Tool auf die Auswahl anwenden|对选中内容运行工具
command-tool|Run a tool|Ein Tool ausführen|运行工具
command-agent|Talk to an agent|Mit einem Agenten sprechen|与智能体对话
command-inbox|Answer the next question|Die nächste Frage beantworten|回答下一个请求
command-undo|Undo the last run that changed something|Den letzten Lauf mit Änderungen rückgängig machen|撤销最近一次有更改的运行
approve-changed|Approve the changed arguments|Geänderte Argumente genehmigen|批准修改后的参数
edit|Edit the arguments|Argumente bearbeiten|编辑参数
always|Always allow|Immer erlauben|始终允许
rule-path|Place, * and ** stand for any|Ort, * und ** stehen für Beliebiges|位置，* 和 ** 表示任意
rule-until|Until|Bis|截止
approve-by-rule|Approve, and allow this from now on|Genehmigen und ab jetzt erlauben|批准，并从现在起允许
`);

/** One line for each key: the key and its words, parted by bars. */
function readWords(table) {
  const rows = table.trim().split("\n").map((line) => line.split("|"));
  return Object.fromEntries(rows.map(([key, ...words]) => [key, words]));
}

function say(key, values = {}) {
  const language = ["en", "de", "zh"].indexOf(getLanguage().slice(0, 2).toLowerCase());
  return WORDS[key][Math.max(language, 0)].replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
}

class ServerError extends Error {
  constructor(status, problem) {
    super([problem.title ?? say("failed"), problem.hint].filter(Boolean).join("\n"));
    this.status = status;
    this.code = problem.code ?? "";
  }
}

/** A `paper serve`, as far as this device knows it. */
class Connection {
  constructor(app) {
    this.app = app;
    this.child = null;
    this.started = "";
    this.startingUp = null;
    // On this device, not in the vault: a token is not synchronised, and a stranger's vault brings no address or program.
    const kept = app.loadLocalStorage(KEPT) ?? {};
    this.settings = { address: "", token: "", name: "", program: "paper", starts: true, ...kept };
  }

  change(values) {
    Object.assign(this.settings, values);
    this.app.saveLocalStorage(KEPT, { ...this.settings });
  }

  get address() {
    return this.settings.address || this.started;
  }

  get canStart() {
    return Platform.isDesktopApp && !this.settings.address && this.app.vault.adapter instanceof FileSystemAdapter;
  }

  /** Send a request, and start the server first where that is ours to do. */
  async request(method, path, body) {
    if (!this.address && this.canStart) await this.start();
    if (!this.address || !this.settings.token) throw new ServerError(401, { title: say("not-paired") });
    return this.send(method, path, body);
  }

  async send(method, path, body) {
    const headers = this.settings.token ? { Authorization: `Bearer ${this.settings.token}` } : {};
    const request = { url: `${this.address}${path}`, method, headers: { "Accept-Language": getLanguage(), ...headers }, throw: false };
    if (body !== undefined) Object.assign(request, { contentType: "application/json", body: JSON.stringify(body) });
    let response;
    try {
      response = await requestUrl(request);
    } catch {
      throw new ServerError(0, { title: say("unreachable") });
    }
    if (response.status === 401) throw new ServerError(401, { title: say("not-paired") });
    if (response.status >= 400) throw new ServerError(response.status, readJson(response.text) ?? {});
    return (response.headers["content-type"] ?? "").startsWith("text/event-stream") ? response.text : readJson(response.text);
  }

  async pair(code) {
    const name = Platform.isDesktopApp ? "obsidian" : "obsidian-phone";
    this.change({ token: "", name: "" });
    const paired = await this.send("POST", "/api/pair", { code, name });
    this.change({ token: paired.token, name: paired.name });
  }

  /** Start `paper serve` for this vault; everybody who needs it waits for the same one. */
  start() {
    this.startingUp ??= this.spawn().finally(() => (this.startingUp = null));
    return this.startingUp;
  }

  async spawn() {
    const { address, code } = await this.launch();
    // The address comes from our own child and is not kept: after its end anybody may listen there.
    this.started = address;
    try {
      if (this.settings.token) return await this.send("GET", "/api/status");
    } catch (error) {
      if (error.status !== 401) throw error;
    }
    return this.pair(code);
  }

  launch() {
    const { spawn } = require("child_process");
    const { program } = this.settings;
    const folder = this.app.vault.adapter.getBasePath();
    return new Promise((resolve, reject) => {
      const child = spawn(program, ["--vault", folder, "serve", "--port", "0", "--no-open", "--json"], {
        stdio: ["ignore", "pipe", "pipe"], windowsHide: true,
      });
      let [printed, complaints] = ["", ""];
      child.stdout.on("data", (piece) => {
        const said = readJson((printed = (printed + piece).slice(0, LONGEST_SHOWN)));
        if (said?.url) resolve({ address: said.url, code: said.code });
      });
      child.stderr.on("data", (piece) => (complaints = (complaints + piece).slice(-1000)));
      const end = (reason) => {
        if (this.child === child) Object.assign(this, { child: null, started: "" });
        reject(new ServerError(0, { title: say("not-started", { command: program, reason }) }));
      };
      child.on("error", (error) => end(error.message));
      child.on("exit", (code) => end(complaints.trim() || String(code)));
      this.child = child;
    });
  }

  stop() {
    this.child?.kill();
    Object.assign(this, { child: null, started: "" });
  }
}

function readJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The events of a text/event-stream that has ended. */
function readEvents(text) {
  const lines = text.split("\n").filter((line) => line.startsWith("data: "));
  return lines.map((line) => readJson(line.slice(6))).filter(Boolean);
}

const at = (path, ...parts) => path.replace(/\{\}/g, () => encodeURIComponent(parts.shift()));
const toolAddress = (id) => `/api/tools/${id.split("/").map(encodeURIComponent).join("/")}`;
const pause = (milliseconds) => new Promise((resolve) => window.setTimeout(resolve, milliseconds));
const shorten = (text) => (text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}\n…` : text);
const format = (value) => shorten(typeof value === "string" ? value : JSON.stringify(value, null, 2) ?? "");

function button(parent, label, onClick, cls = "") {
  const made = parent.createEl("button", { text: label, cls, attr: { type: "button" } });
  made.addEventListener("click", onClick);
  return made;
}

function field(parent, label, attributes) {
  return parent.createEl("label", { text: say(label), cls: "paper-reason" }).createEl("input", { attr: attributes });
}

/** The lines of a diff, each in its colour. */
function showDiff(parent, diff) {
  const block = parent.createEl("pre", { cls: "paper-diff" });
  for (const line of shorten(diff).split("\n")) {
    const kind = { "+": "added", "-": "removed", "@": "place" }[line[0]] ?? "same";
    block.createEl("span", { text: `${line}\n`, cls: `paper-${kind}` });
  }
}

// --- forms: JSON Schema to inputs, and back

/** A form for the arguments of a tool; `read` gives them, or throws with what is wrong. */
class ArgumentForm {
  constructor(parent, schema, given) {
    this.fields = [];
    const required = new Set(schema?.required ?? []);
    for (const [name, property] of Object.entries(schema?.properties ?? {})) {
      this.fields.push(new ArgumentField(parent, name, property, required.has(name), given[name] ?? property.default));
    }
    if (!this.fields.length) parent.createEl("p", { text: say("no-input"), cls: "paper-quiet" });
  }

  read() {
    const found = this.fields.map((field) => [field.name, field.read()]);
    return Object.fromEntries(found.filter(([, value]) => value !== undefined));
  }

  /** Put a text where it most likely belongs: the first text that no path is. */
  takeText(text) {
    const texts = this.fields.filter((field) => field.kind === "string");
    const field = texts.find((each) => !PATH_NAMES.test(each.name)) ?? texts[0];
    if (field) field.input.value = text;
  }

  takePath(path) {
    for (const field of this.fields) {
      if (field.kind === "string" && PATH_NAMES.test(field.name) && !field.input.value) field.input.value = path;
    }
  }
}

let fieldCount = 0;

class ArgumentField {
  constructor(parent, name, schema, isRequired, value) {
    this.name = name;
    this.kind = fieldKind(schema);
    this.choices = schema.enum ?? [];
    this.isRequired = isRequired;
    const id = `paper-field-${++fieldCount}`;
    const row = parent.createDiv({ cls: "paper-field" });
    const label = row.createEl("label", { text: schema.title ?? name, attr: { for: id } });
    if (isRequired) label.createEl("span", { text: ` (${say("required")})`, cls: "paper-quiet" });
    this.input = this.draw(row, id);
    if (schema.description) row.createEl("div", { text: schema.description, cls: "paper-quiet" });
    this.problem = row.createDiv({ cls: "paper-problem", attr: { role: "alert" } });
    this.given = value;
    if (value !== undefined) this.fill(value);
  }

  draw(row, id) {
    switch (this.kind) {
      case "boolean":
        return row.createEl("input", { attr: { id, type: "checkbox" } });
      case "enum": {
        const select = row.createEl("select", { cls: "dropdown", attr: { id } });
        select.createEl("option", { text: say("choose"), attr: { value: "" } });
        this.choices.forEach((each, index) => select.createEl("option", { text: String(each), attr: { value: String(index) } }));
        return select;
      }
      case "number":
        return row.createEl("input", { attr: { id, type: "text", inputmode: "decimal" } });
      case "string":
        return row.createEl("textarea", { attr: { id, rows: "2" } });
      default:
        return row.createEl("textarea", { attr: { id, rows: "3", placeholder: this.kind === "lines" ? say("one-per-line") : "JSON" } });
    }
  }

  fill(value) {
    if (this.kind === "boolean") this.input.checked = value === true;
    else if (this.kind === "enum") this.input.value = String(this.choices.indexOf(value));
    else if (this.kind === "lines" && Array.isArray(value)) this.input.value = value.join("\n");
    else this.input.value = typeof value === "string" && this.kind === "string" ? value : JSON.stringify(value);
  }

  read() {
    this.problem.setText("");
    if (this.kind === "boolean") return this.input.checked || this.isRequired ? this.input.checked : undefined;
    const text = this.input.value;
    // A text that was given as an empty one stays one.
    if (this.kind === "string") return text === "" && this.given !== "" ? undefined : text;
    if (text.trim() === "") return undefined;
    if (this.kind === "enum") return this.choices[Number(text)];
    if (this.kind === "lines") return text.split("\n").filter((line) => line !== "");
    const value = readJson(text);
    if (value !== null || text.trim() === "null") return value;
    // The server says what a number must be.
    if (this.kind === "number") return text;
    this.problem.setText(say("not-json"));
    throw new Error(say("not-json"));
  }
}

function fieldKind(schema) {
  if (Array.isArray(schema.enum)) return "enum";
  switch (schema.type) {
    case "boolean":
    case "string":
      return schema.type;
    case "number":
    case "integer":
      return "number";
    case "array":
      return schema.items?.type === "string" && !schema.items.enum ? "lines" : "json";
    default:
      return "json";
  }
}

// --- the question

class QuestionModal extends Modal {
  constructor(app, plugin, question, onAnswered) {
    super(app);
    this.plugin = plugin;
    this.question = question;
    this.onAnswered = onAnswered;
    this.chosen = [];
    this.deciding = [];
    this.reason = null;
    this.form = null;
  }

  onOpen() {
    const { contentEl, question } = this;
    this.modalEl.addClass("paper-question");
    this.setTitle(say("asks-for", { tool: question.tool }));
    if (question.files?.length) question.files.forEach((file) => this.showFile(contentEl, file));
    else showDiff(contentEl, question.preview);
    const exact = contentEl.createEl("details");
    exact.createEl("summary", { text: say("arguments") });
    exact.createEl("pre", { text: format(question.arguments) });
    this.showAnswers(contentEl);
    this.countChosen();
    window.setTimeout(() => this.setDeaf(false), DEAF_MILLISECONDS);
  }

  onClose() {
    this.contentEl.empty();
  }

  /** A file with its hunks, each of which can be left out. */
  showFile(parent, file) {
    const part = parent.createEl("fieldset", { cls: "paper-file" });
    part.createEl("legend", { text: `${file.path} (${say(`change.${file.change}`)})` });
    const hunks = file.hunks.length ? file.hunks : [{ number: 0, diff: file.diff }];
    const boxes = hunks.map((hunk) => {
      const label = part.createEl("label", { cls: "paper-hunk" });
      const box = label.createEl("input", { attr: { type: "checkbox" } });
      box.checked = true;
      box.addEventListener("change", () => this.countChosen());
      label.appendText(hunk.number ? say("hunk", { number: hunk.number, count: hunks.length }) : file.path);
      showDiff(part, hunk.diff);
      return box;
    });
    this.chosen.push({ path: file.path, hunks, boxes });
  }

  showAnswers(parent) {
    const main = parent.createDiv({ cls: "paper-buttons" });
    const label = this.question.files?.length ? "approve-chosen" : "approve";
    this.deciding = [button(main, say(label), () => this.approve({}), "mod-cta")];
    this.deciding.push(button(main, say("deny"), () => this.deny(), "mod-warning"));
    button(main, say("later"), () => this.close());
    this.reason = field(parent, "reason", { type: "text" });
    if (!this.question.files?.length) {
      const others = parent.createEl("details");
      others.createEl("summary", { text: say("other-answers") });
      this.deciding.push(button(others, say("approve-for-run"), () => this.approve({ for_run: true })));
      this.deciding.push(button(others, say("approve-together"), () => this.approve({ together: true })));
      const edit = button(others, say("edit"), () => this.plugin.attempt(() => this.edit(main, edit)));
      this.plugin.attempt(() => this.showRule(others.createDiv()));
    }
    this.setDeaf(true);
  }

  /** The arguments as a form above the buttons: a yes is then about what stands there. */
  async edit(main, button) {
    button.disabled = true;
    const { tool, arguments: given } = this.question;
    const { parameters } = await this.plugin.server.request("GET", toolAddress(tool));
    const place = this.contentEl.createDiv({ cls: "paper-form" });
    main.before(place);
    this.form = new ArgumentForm(place, parameters, given);
    this.deciding[0].setText(say("approve-changed"));
    place.querySelector("input, textarea, select")?.focus();
  }

  /** A rule is said in words before somebody agrees to it, also a wider one. */
  async showRule(parent) {
    const find = (more) => this.plugin.server.request("GET", `${at("/api/approvals/{}/rule", this.question.id)}?${new URLSearchParams(more)}`);
    const first = await find({});
    if (!first.possible) return;
    const part = parent.createEl("fieldset", { cls: "paper-rule" });
    part.createEl("legend", { text: say("always") });
    const words = part.createEl("p", { text: first.words, attr: { role: "status" } });
    const inputs = { path: first.path && field(part, "rule-path", { type: "text", value: first.path }), until: field(part, "rule-until", { type: "date" }) };
    const wanted = () => Object.fromEntries(Object.entries(inputs).filter(([, input]) => input).map(([name, input]) => [name, input.value]));
    const allow = button(part, say("approve-by-rule"), () => this.approve({ always: true, ...wanted() }, words.textContent));
    part.addEventListener("change", () => this.plugin.attempt(async () => {
      const told = await find(wanted());
      words.setText(told.words);
      words.toggleClass("paper-problem", !told.possible);
      allow.disabled = !told.possible;
    }));
    allow.disabled = this.deciding[1].disabled;
    this.deciding.push(allow);
  }

  setDeaf(isDeaf) {
    for (const each of this.deciding) each.disabled = isDeaf;
    if (!isDeaf) this.countChosen();
  }

  countChosen() {
    const isNothing = this.chosen.length > 0 && this.chosen.every(({ boxes }) => boxes.every((box) => !box.checked));
    if (isNothing || !this.deciding[1].disabled) this.deciding[0].disabled = isNothing;
  }

  /** For each file: all of it, nothing, or the hunks that are ticked. */
  choice() {
    return Object.fromEntries(this.chosen.map(({ path, hunks, boxes }) => {
      const numbers = hunks.filter((_, index) => boxes[index].checked).map((hunk) => hunk.number);
      if (numbers.length === hunks.length) return [path, true];
      return [path, numbers.length ? { hunks: numbers } : false];
    }));
  }

  approve(more, rule = "") {
    return this.plugin.attempt(() => {
      const files = this.chosen.length ? { files: this.choice() } : {};
      const edited = this.form ? { arguments: this.form.read() } : {};
      return this.answer("approve", { ...more, ...files, ...edited }, rule);
    });
  }

  deny() {
    return this.answer("deny", { reason: this.reason.value });
  }

  async answer(verb, body, rule = "") {
    const { id, digest } = this.question;
    this.setDeaf(true);
    try {
      const record = await this.plugin.server.request("POST", at(`/api/approvals/{}/${verb}?wait=0`, id), { digest, ...body });
      new Notice([say(`said-${verb}`), rule].filter(Boolean).join("\n"));
      this.close();
      this.onAnswered(record);
    } catch (error) {
      new Notice(error.message);
      // What is asked has changed, or somebody else has answered: it is not shown as if it stood still.
      if (error.status === 409 || error.status === 404) this.close();
      else this.setDeaf(false);
    }
    await this.plugin.look();
  }
}

// --- the sidebar

class PaperView extends ItemView {
  constructor(leaf, plugin) {
    super(leaf);
    this.plugin = plugin;
    this.icon = "bot";
    this.navigation = false;
    this.screen = 0;
    this.inbox = null;
    this.catalogue = [];
  }

  getViewType() {
    return VIEW;
  }

  getDisplayText() {
    return "Paper Agents";
  }

  async onOpen() {
    this.contentEl.addClass("paper-agents");
    await this.showHome();
  }

  async onClose() {
    this.screen += 1;
  }

  /** A new screen; whoever still works for an old one notices by its number. */
  begin(title) {
    this.inbox = null;
    this.contentEl.empty();
    const head = this.contentEl.createDiv({ cls: "paper-head" });
    if (title) {
      const back = button(head, "", () => this.showHome(), "clickable-icon");
      back.setAttribute("aria-label", say("back"));
      setIcon(back, "arrow-left");
      head.createEl("h4", { text: title });
    }
    return ++this.screen;
  }

  /** Do something on a screen, and say there what went wrong. */
  async attempt(work, place = this.contentEl) {
    const screen = this.screen;
    try {
      return await work();
    } catch (error) {
      if (screen !== this.screen) return undefined;
      for (const old of Array.from(place.querySelectorAll(":scope > .paper-failure"))) old.remove();
      const shown = place.createDiv({ cls: "paper-failure", attr: { role: "alert" } });
      shown.createEl("p", { text: error.message });
      if (error.status === 0 || error.status === 401) {
        button(shown, say("connect"), () => this.showHome());
      }
      return undefined;
    }
  }

  async showHome() {
    const screen = this.begin("");
    const waiting = this.contentEl.createEl("p", { text: say("starting"), cls: "paper-quiet" });
    await this.attempt(async () => {
      const ask = (path) => this.plugin.server.request("GET", path);
      const [tools, agents] = [await ask("/api/tools"), await ask("/api/agents")];
      const runs = await ask("/api/runs?limit=5");
      if (screen !== this.screen) return;
      this.catalogue = [...agents, ...tools.filter((tool) => tool.kind !== "agent")].filter((each) => each.valid);
      const search = this.contentEl.createEl("input", {
        cls: "paper-search", attr: { type: "search", placeholder: say("search-tools"), "aria-label": say("search-tools") },
      });
      this.inbox = this.contentEl.createDiv();
      const list = this.contentEl.createDiv();
      search.addEventListener("input", () => this.showCatalogue(list, search.value));
      this.showInbox(this.plugin.questions);
      this.showCatalogue(list, "");
      this.showRuns(this.contentEl.createDiv(), runs);
    });
    waiting.remove();
  }

  showInbox(questions) {
    if (!this.inbox) return;
    this.inbox.empty();
    if (!questions.length) return;
    this.inbox.createEl("h5", { text: `${say("inbox")} (${questions.length})` });
    for (const question of questions.slice(0, MOST_SHOWN)) {
      const answer = () => this.plugin.ask(question, (record) => this.showRun(record.run_id));
      this.showEntry(this.inbox, question.tool, question.preview.split("\n")[1] ?? "", answer);
    }
  }

  showCatalogue(list, wanted) {
    list.empty();
    const words = wanted.toLowerCase().split(/\s+/);
    const fits = (each) => words.every((word) => `${each.id} ${each.name} ${each.description}`.toLowerCase().includes(word));
    const found = this.catalogue.filter(fits);
    const groups = [
      ["tools", found.filter((each) => each.kind !== "agent" && each.file)],
      ["agents", found.filter((each) => each.kind === "agent")],
      ["built-in", found.filter((each) => each.kind !== "agent" && !each.file)],
    ];
    for (const [key, entries] of groups) {
      if (!entries.length) continue;
      const part = list.createEl("details", { attr: key === "built-in" && !wanted ? {} : { open: "" } });
      part.createEl("summary", { text: `${say(key)} (${entries.length})` });
      for (const each of entries.slice(0, MOST_SHOWN)) {
        this.showEntry(part, each.name, each.description, () => this.openEntry(each));
      }
      const left = entries.length - MOST_SHOWN;
      if (left > 0) part.createEl("p", { text: say("more-by-search", { count: left }), cls: "paper-quiet" });
    }
    if (!found.length) list.createEl("p", { text: say("nothing-found"), cls: "paper-quiet" });
  }

  showRuns(place, runs) {
    if (!runs.length) return;
    place.createEl("h5", { text: say("recent-runs") });
    for (const run of runs) this.showEntry(place, run.tool, say(`status.${run.status}`), () => this.showRun(run.run_id));
  }

  showEntry(parent, name, about, onClick) {
    const entry = button(parent, "", onClick, "paper-entry");
    entry.createEl("span", { text: name, cls: "paper-name" });
    if (about) entry.createEl("span", { text: about, cls: "paper-quiet" });
  }

  openEntry(entry, given = {}) {
    return entry.kind === "agent" ? this.showAgent(entry, given.text ?? "") : this.showTool(entry.id, given);
  }

  /** The form of a tool, perhaps with arguments, a selected text or the path of a note. */
  async showTool(id, given = {}) {
    const screen = this.begin(id);
    await this.attempt(async () => {
      const tool = await this.plugin.server.request("GET", toolAddress(id));
      if (screen !== this.screen) return;
      this.contentEl.createEl("p", { text: tool.description });
      const place = this.contentEl.createEl("form", { cls: "paper-form" });
      const form = new ArgumentForm(place, tool.parameters, given.arguments ?? {});
      if (given.text) form.takeText(given.text);
      if (given.path) form.takePath(given.path);
      const buttons = place.createDiv({ cls: "paper-buttons" });
      buttons.createEl("button", { text: say("run"), cls: "mod-cta", attr: { type: "submit" } });
      place.addEventListener("submit", (event) => {
        event.preventDefault();
        this.attempt(() => this.startRun(id, form.read()), place);
      });
      const plan = this.contentEl.createDiv();
      button(buttons, say("dry-run"), () => this.attempt(() => this.showPlan(plan, id, form.read()), place));
    });
  }

  async startRun(tool, given) {
    const record = await this.plugin.server.request("POST", "/api/runs?wait=0", { tool, arguments: given });
    await this.showRun(record.run_id, given);
  }

  async showPlan(place, tool, given) {
    const record = await this.plugin.server.request("POST", "/api/runs", { tool, arguments: given, dry_run: true });
    place.empty();
    place.createEl("h5", { text: say("plan") });
    place.createEl("p", { text: say("plan-about"), cls: "paper-quiet" });
    for (const step of record.planned ?? []) {
      const asks = step.would_ask ? ` — ${say("would-ask")}` : "";
      place.createEl("p", { text: `${step.tool}${asks}` });
      if (step.preview) showDiff(place, step.preview);
    }
    if (record.error) place.createEl("p", { text: record.error.message, cls: "paper-problem" });
  }

  /** A run: its steps as they happen, its questions, its result. */
  async showRun(runId, given) {
    const screen = this.begin(say("run"));
    const status = this.contentEl.createEl("p", { text: say("status.running"), cls: "paper-status", attr: { role: "status" } });
    const buttons = this.contentEl.createDiv({ cls: "paper-buttons" });
    const timeline = this.contentEl.createEl("ol", { cls: "paper-timeline", attr: { "aria-label": say("steps") } });
    const outcome = this.contentEl.createDiv();
    button(buttons, say("cancel"), () => this.attempt(() => this.plugin.server.request("POST", at("/api/runs/{}/cancel?wait=0", runId))));
    await this.attempt(async () => {
      const record = await this.plugin.follow(runId, () => screen === this.screen, new LiveSteps(timeline));
      if (record === null) return;
      status.setText(`${record.tool}: ${say(`status.${record.status}`)}`);
      status.dataset.status = record.status;
      timeline.empty();
      for (const entry of record.execution_log) showStep(timeline, entry);
      buttons.empty();
      if (record.status === "waiting") await this.showQuestion(buttons, record, () => this.showRun(runId, given));
      else await this.showOutcome(buttons, outcome, record, given);
    });
  }

  async showQuestion(buttons, record, goOn) {
    await this.plugin.look();
    const question = this.plugin.questions.find((each) => each.run_id.split(".")[0] === record.run_id.split(".")[0]);
    if (!question) return;
    button(buttons, say("status.waiting"), () => this.plugin.ask(question, goOn), "mod-cta");
    button(buttons, say("cancel"), () => this.attempt(async () => {
      await this.plugin.server.request("POST", at("/api/runs/{}/cancel", record.run_id));
      goOn();
    }));
    this.plugin.ask(question, goOn);
  }

  async showOutcome(buttons, outcome, record, given) {
    if (record.error) {
      outcome.createEl("p", { text: [record.error.message, record.error.hint].filter(Boolean).join("\n"), cls: "paper-problem" });
    }
    for (const warning of record.warnings) outcome.createEl("p", { text: warning, cls: "paper-quiet" });
    if (record.data !== null) {
      outcome.createEl("h5", { text: say("result") });
      outcome.createEl("pre", { text: format(record.data), cls: "paper-result" });
      button(buttons, say("copy"), async () => {
        await navigator.clipboard.writeText(typeof record.data === "string" ? record.data : JSON.stringify(record.data, null, 2));
        new Notice(say("copied"));
      });
    }
    if (given) button(buttons, say("run-again"), () => this.showTool(record.tool, { arguments: given }));
    const changes = await this.plugin.server.request("GET", at("/api/changes?run={}", record.run_id));
    if (changes.some((each) => !each.undone)) button(buttons, say("undo"), () => this.attempt(() => this.undo(record.run_id)));
    for (const each of changes) {
      const more = each.undone ? `, ${say("undone")}` : "";
      outcome.createEl("p", { text: `${each.path} (${say(`change.${each.change}`)}${more})`, cls: "paper-quiet" });
    }
  }

  /** Taking back is a run of its own, which asks. */
  async undo(runId) {
    const record = await this.plugin.server.request("POST", at("/api/runs/{}/undo?wait=0", runId), {});
    await this.showRun(record.run_id);
  }

  async showAgent(agent, text = "") {
    this.begin(agent.name);
    this.contentEl.createEl("p", { text: agent.description, cls: "paper-quiet" });
    const said = this.contentEl.createDiv({ cls: "paper-said", attr: { role: "log" } });
    const form = this.contentEl.createEl("form", { cls: "paper-form" });
    const input = form.createEl("textarea", { attr: { rows: "3", placeholder: say("ask-agent"), "aria-label": say("ask-agent") } });
    input.value = text;
    const buttons = form.createDiv({ cls: "paper-buttons" });
    const send = buttons.createEl("button", { text: say("send"), cls: "mod-cta", attr: { type: "submit" } });
    button(buttons, say("new-conversation"), () => this.showAgent(agent));
    const conversation = `${agent.id.replace(/\W+/g, "-").slice(0, 60)}-${Date.now().toString(36)}`;
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const query = input.value.trim();
      if (!query || send.disabled) return;
      input.value = "";
      send.disabled = true;
      showTurn(said, say("you"), query);
      await this.attempt(() => this.converse(showTurn(said, agent.name, say("thinks")), agent, { query, conversation }));
      send.disabled = false;
    });
  }

  async converse(turn, agent, given) {
    const screen = this.screen;
    const begun = await this.plugin.server.request("POST", "/api/runs?wait=0", { tool: `agent:${agent.id}`, arguments: given });
    const follow = async () => {
      const record = await this.plugin.follow(begun.run_id, () => screen === this.screen, new LiveText(turn));
      if (record === null) return;
      if (record.status === "waiting") await this.showQuestion(turn.createDiv({ cls: "paper-buttons" }), record, () => this.attempt(follow));
      else turn.setText(record.error ? record.error.message : format(record.data));
    };
    await follow();
  }
}

function showTurn(parent, who, text) {
  const turn = parent.createDiv({ cls: "paper-turn" });
  turn.createEl("strong", { text: who });
  return turn.createDiv({ text, cls: "paper-text" });
}

function showStep(timeline, entry) {
  const row = timeline.createEl("li", { cls: `paper-step paper-step-${entry.status}` });
  row.createEl("span", { text: entry.name });
  row.createEl("span", { text: say(`step.${entry.status}`), cls: "paper-quiet" });
  if (entry.status === "error" || entry.status === "denied") row.createDiv({ text: entry.message, cls: "paper-problem" });
  return row;
}

/** The steps of a run while it goes on. */
class LiveSteps {
  constructor(timeline) {
    this.timeline = timeline;
    this.rows = new Map();
  }

  take(event) {
    if (event.type !== "step-started" && event.type !== "step-finished") return;
    const entry = event.entry ?? { name: event.name, status: "running", message: "" };
    const key = `${event.run_id} ${event.path ?? `${entry.step} ${entry.block} ${entry.name}`}`;
    const row = showStep(this.timeline, entry);
    const old = this.rows.get(key);
    if (old) old.replaceWith(row);
    this.rows.set(key, row);
  }
}

/** What a model says while it says it. */
class LiveText {
  constructor(place) {
    this.place = place;
    this.text = "";
  }

  take(event) {
    if (event.type === "model-text") this.place.setText((this.text += event.text));
  }
}

// --- choosing, settings, the plugin

class EntryModal extends FuzzySuggestModal {
  constructor(app, entries, onChosen) {
    super(app);
    this.entries = entries;
    this.onChosen = onChosen;
    this.setPlaceholder(say("choose-tool"));
  }

  getItems() {
    return this.entries;
  }

  getItemText(entry) {
    return `${entry.name} — ${entry.description}`;
  }

  onChooseItem(entry) {
    this.onChosen(entry);
  }
}

class PaperSettingTab extends PluginSettingTab {
  constructor(app, plugin) {
    super(app, plugin);
    this.plugin = plugin;
    this.code = "";
  }

  display() {
    const { server } = this.plugin;
    const { settings } = server;
    this.containerEl.empty();
    const state = settings.token && server.address ? say("connected", { address: server.address }) : say("not-paired");
    this.containerEl.createEl("p", { text: state, cls: "paper-quiet" });
    const warning = isUnencrypted(settings.address) ? `\n${say("unencrypted")}` : "";
    new Setting(this.containerEl).setName(say("address")).setDesc(say("address-about") + warning).addText((field) => {
      field.setPlaceholder("https://").setValue(settings.address);
      field.inputEl.addEventListener("change", () => this.changeAddress(field.inputEl.value));
    });
    new Setting(this.containerEl).setName(say("code")).setDesc(say("code-about"))
      .addText((field) => field.setPlaceholder("XXXX-XXXX").onChange((value) => (this.code = value.trim())))
      .addButton((pair) => pair.setButtonText(say("pair")).setCta().onClick(() => this.pair()));
    if (settings.token) {
      new Setting(this.containerEl).setName(say("paired-as", settings)).setDesc(say("paired-about", settings))
        .addButton((forget) => forget.setButtonText(say("unpair")).onClick(() => this.forget()));
    }
    if (!Platform.isDesktopApp) return;
    new Setting(this.containerEl).setName(say("program")).setDesc(say("program-about")).addText((field) => {
      field.setPlaceholder("paper").setValue(settings.program);
      field.onChange((value) => server.change({ program: value.trim() || "paper" }));
    });
    new Setting(this.containerEl).setName(say("starts"))
      .addToggle((toggle) => toggle.setValue(settings.starts).onChange((starts) => server.change({ starts })));
  }

  changeAddress(typed) {
    const address = typed.trim().replace(/\/+$/, "");
    if (address && !/^https?:\/\/[^/?#@]+$/i.test(address)) {
      new Notice(say("not-an-address"));
    } else if (address !== this.plugin.server.settings.address) {
      // A token is for one server; another one does not get to see it.
      this.plugin.server.change({ address, token: "", name: "" });
    }
    this.display();
  }

  async pair() {
    try {
      await this.plugin.server.pair(this.code);
      new Notice(say("paired-as", this.plugin.server.settings));
      await this.plugin.look();
    } catch (error) {
      new Notice(error.message);
    }
    this.display();
  }

  forget() {
    this.plugin.server.change({ token: "", name: "" });
    this.display();
  }
}

function isUnencrypted(address) {
  return /^http:/i.test(address) && !/^http:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i.test(address);
}

class PaperAgentsPlugin extends Plugin {
  server = null;
  questions = [];
  ribbon = null;
  told = new Set();

  async onload() {
    this.server = new Connection(this.app);
    this.registerView(VIEW, (leaf) => new PaperView(leaf, this));
    this.ribbon = this.addRibbonIcon("bot", "Paper Agents", () => this.open());
    this.ribbon.addClass("paper-ribbon");
    this.addSettingTab(new PaperSettingTab(this.app, this));
    this.addCommands();
    this.registerEvent(this.app.workspace.on("editor-menu", (menu, editor) => {
      const text = editor.getSelection();
      if (text) menu.addItem((item) => item.setTitle(say("command-selection")).setIcon("bot").onClick(() => this.chooseFor(text)));
    }));
    // Not every way to end Obsidian unloads its plugins.
    this.registerDomEvent(window, "beforeunload", () => this.server.stop());
    this.registerInterval(window.setInterval(() => this.look(), LOOK_SECONDS * 1000));
    this.app.workspace.onLayoutReady(() => this.begin());
  }

  onunload() {
    this.server.stop();
  }

  async begin() {
    if (!this.server.canStart || !this.server.settings.starts) return this.look();
    try {
      await this.server.start();
      await this.look();
    } catch (error) {
      new Notice(error.message);
    }
  }

  addCommands() {
    this.addCommand({ id: "open", name: say("command-open"), callback: () => this.open() });
    this.addCommand({
      id: "run-note", name: say("command-note"),
      checkCallback: (isChecking) => {
        const file = this.app.workspace.getActiveFile();
        const fields = file && this.app.metadataCache.getFileCache(file)?.frontmatter;
        if (!fields || (fields.tool !== true && fields.agent !== true)) return false;
        if (!isChecking) this.runNote(file.path);
        return true;
      },
    });
    this.addCommand({
      id: "run-on-selection", name: say("command-selection"),
      editorCheckCallback: (isChecking, editor) => {
        const text = editor.getSelection();
        if (text && !isChecking) this.chooseFor(text);
        return Boolean(text);
      },
    });
    this.addCommand({ id: "run-tool", name: say("command-tool"), callback: () => this.chooseFor("") });
    this.addCommand({ id: "talk", name: say("command-agent"), callback: () => this.chooseFor("", "agent") });
    this.addCommand({ id: "answer", name: say("command-inbox"), callback: () => this.answerNext() });
    this.addCommand({ id: "undo-last", name: say("command-undo"), callback: () => this.undoLast() });
  }

  /** The sidebar, opened where it is not. */
  async open() {
    const { workspace } = this.app;
    let leaf = workspace.getLeavesOfType(VIEW)[0];
    if (!leaf) {
      leaf = workspace.getRightLeaf(false);
      await leaf.setViewState({ type: VIEW, active: true });
    }
    await workspace.revealLeaf(leaf);
    return leaf.view;
  }

  view() {
    const leaf = this.app.workspace.getLeavesOfType(VIEW)[0];
    return leaf && leaf.view instanceof PaperView ? leaf.view : null;
  }

  /** Do what a command says, and tell what went wrong. */
  async attempt(work) {
    try {
      return await work();
    } catch (error) {
      new Notice(error.message);
      return undefined;
    }
  }

  async entries() {
    const agents = await this.server.request("GET", "/api/agents");
    const tools = (await this.server.request("GET", "/api/tools")).filter((each) => each.kind !== "agent");
    return [...tools, ...agents].filter((each) => each.valid);
  }

  runNote(path) {
    return this.attempt(async () => {
      const entry = (await this.entries()).find((each) => each.file === path);
      if (!entry) new Notice(say("not-a-tool"));
      else await (await this.open()).openEntry(entry);
    });
  }

  chooseFor(text, kind = "") {
    return this.attempt(async () => {
      const path = this.app.workspace.getActiveFile()?.path ?? "";
      const entries = (await this.entries()).filter((each) => !kind || each.kind === kind);
      new EntryModal(this.app, entries, async (entry) => (await this.open()).openEntry(entry, { text, path })).open();
    });
  }

  answerNext() {
    return this.attempt(async () => {
      await this.look();
      if (!this.questions.length) new Notice(say("inbox-empty"));
      else this.ask(this.questions[0], async (record) => (await this.open()).showRun(record.run_id));
    });
  }

  undoLast() {
    return this.attempt(async () => (await this.open()).undo("last"));
  }

  ask(question, onAnswered) {
    this.told.add(question.id);
    new QuestionModal(this.app, this, question, onAnswered).open();
  }

  /** Look at the open questions: the count in the ribbon, a notice for what is new. */
  async look() {
    if (!this.server.address || !this.server.settings.token) return;
    try {
      this.questions = await this.server.request("GET", "/api/approvals");
    } catch {
      return;
    }
    const count = this.questions.length;
    this.ribbon.setAttribute("aria-label", count ? `Paper Agents: ${say("inbox")} (${count})` : "Paper Agents");
    this.ribbon.dataset.count = count ? String(count) : "";
    this.view()?.showInbox(this.questions);
    const news = this.questions.filter((each) => !this.told.has(each.id));
    for (const each of news) this.told.add(each.id);
    // A run that is looked at asks by itself, a moment later.
    if (news.length && !this.following) new Notice(say("asks-for", { tool: news[0].tool }));
  }

  following = 0;

  /** Hand on what happens in a run until it stands still; its record, or null where nobody looks any more. */
  async follow(runId, isWanted, reader) {
    this.following += 1;
    try {
      let after = 0;
      while (isWanted()) {
        // A whole response is all that Obsidian gives on every device, so the stream comes in pieces of a second.
        const events = readEvents(await this.server.request("GET", at(`/api/runs/{}/events?seconds=1&after=${after}`, runId)));
        for (const event of events) {
          reader.take(event);
          after = Math.max(after, event.seq);
        }
        const isOver = events.some((each) => ["run-finished", "run-refused"].includes(each.type) && each.run_id === runId);
        if (!isOver) continue;
        const record = await this.server.request("GET", at("/api/runs/{}", runId));
        if (record.status !== "running" && record.status !== "queued") return isWanted() ? record : null;
        // Another process works on it, or it has just gone on.
        after = 0;
        await pause(500);
      }
      return null;
    } finally {
      this.following -= 1;
    }
  }
}

module.exports = PaperAgentsPlugin;
