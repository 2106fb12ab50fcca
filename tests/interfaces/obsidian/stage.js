// Obsidian's place, as far as the plugin needs one: the mocks of obsidian-test-mocks, put where a person can click.
import * as mocks from "obsidian-test-mocks/obsidian";
import { setup } from "obsidian-test-mocks/setup";

setup();
const place = (name) => document.getElementById(name);
const options = window.stage;
const plugins = [];

mocks.Modal.prototype.open = function open() {
  this.containerEl.className = "modal-container";
  this.modalEl.setAttribute("role", "dialog");
  place("modals").append(this.containerEl);
  if (this instanceof mocks.FuzzySuggestModal) {
    for (const item of this.getItems()) {
      const choice = this.resultContainerEl.createEl("button", { text: this.getItemText(item) });
      choice.addEventListener("click", () => { this.close(); this.onChooseItem(item); });
    }
  }
  this.onOpen();
};
mocks.Modal.prototype.close = function close() { this.containerEl.remove(); this.onClose(); };
mocks.AbstractTextComponent.prototype.onChange = function onChange(callback) {
  this.inputEl.addEventListener("input", () => callback(this.inputEl.value));
  return this;
};
mocks.ButtonComponent.prototype.onClick = function onClick(callback) {
  this.buttonEl.addEventListener("click", callback);
  return this;
};
mocks.Plugin.prototype.addRibbonIcon = function addRibbonIcon(_, title, callback) {
  const icon = place("ribbon").createEl("button", { attr: { "aria-label": title } });
  icon.addEventListener("click", callback);
  return icon;
};
mocks.WorkspaceLeaf.prototype.setViewState = async function setViewState(state) {
  this.viewState = { ...state };
  this.view = plugins[0].views__.get(state.type)(this);
  place("sidebar").append(this.view.containerEl);
  await this.view.onOpen();
};
class Notice extends mocks.Notice {
  constructor(message, duration) {
    super(message, duration);
    place("notices").createEl("p", { text: message });
  }
}
async function requestUrl(request) {
  const response = JSON.parse(await window.sendRequest(JSON.stringify(request)));
  if (response.status === 0) throw new Error("net::ERR_CONNECTION_REFUSED");
  return response;
}
const isPhone = options.isPhone;
const Platform = { ...mocks.Platform, isDesktopApp: false, isMobile: isPhone, isMobileApp: isPhone, isPhone };
const obsidian = { ...mocks, Notice, Platform, requestUrl, getLanguage: () => options.language };

const module = { exports: {} };
new Function("module", "exports", "require", await (await fetch("/main.js")).text())(module, module.exports, (name) => {
  if (name !== "obsidian") throw new Error(`no ${name} here`);
  return obsidian;
});
const app = mocks.App.createConfigured__();
const file = { path: options.note };
app.workspace.getActiveFile = () => (options.note ? file : null);
app.metadataCache.getFileCache = () => ({ frontmatter: options.frontmatter });
document.body.classList.toggle("is-mobile", isPhone);
const plugin = new module.exports(app, {});
plugins.push(plugin);
await plugin.onload();
const [tab] = plugin.settingTabs__;
place("settings").append(tab.containerEl);
tab.display();
for (const command of plugin.commands__.values()) {
  const entry = place("palette").createEl("button", { text: command.name });
  const editor = { getSelection: () => options.selection };
  const isOffered = command.checkCallback?.(true) ?? command.editorCheckCallback?.(true, editor) ?? true;
  entry.hidden = !isOffered;
  entry.addEventListener("click", () => {
    if (command.checkCallback) command.checkCallback(false);
    else if (command.editorCheckCallback) command.editorCheckCallback(false, editor);
    else command.callback();
  });
}
place("ready").textContent = "ready";
