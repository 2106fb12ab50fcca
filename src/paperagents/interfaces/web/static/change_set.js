// A question about several files: yes or no for each file and each place in it.

import { make, onClick, say, send } from "./dom.js";

/** What a yes says of each file; null where everything is wanted as it is shown, or where there are no files. */
export function chosenFiles(question) {
  const files = [...question.querySelectorAll(".changed-file")];
  const choices = files.map(choiceOf);
  if (choices.every((each) => each === true)) return null;
  return Object.fromEntries(files.map((file, place) => [file.dataset.path, choices[place]]));
}

function choiceOf(file) {
  if (!file.querySelector("[data-file]").checked) return false;
  const written = file.querySelector("[data-new-text]");
  if (written) return { content: written.value };
  const hunks = [...file.querySelectorAll("[data-hunk]")];
  const wanted = hunks.filter((each) => each.checked).map((each) => Number(each.dataset.hunk));
  return hunks.length === wanted.length ? true : { hunks: wanted };
}

/** A file without any of its places is not wanted; one that is wanted again is wanted whole. */
document.addEventListener("change", (event) => {
  const file = event.target.closest?.(".changed-file");
  if (!file) return;
  const whole = file.querySelector("[data-file]");
  const hunks = [...file.querySelectorAll("[data-hunk]")];
  if (event.target === whole) hunks.forEach((each) => (each.checked = whole.checked));
  else if (event.target.matches("[data-hunk]")) {
    const wanted = hunks.filter((each) => each.checked).length;
    whole.checked = wanted > 0;
    whole.indeterminate = wanted > 0 && wanted < hunks.length;
  }
  nameAnswer(file.closest(".question"));
});
onClick("[data-edit-file]", editFile);

/** The button says what it does. */
function nameAnswer(question) {
  const choices = [...question.querySelectorAll(".changed-file")].map(choiceOf);
  const approve = question.querySelector('[data-answer="approve"]');
  approve.dataset.whole ??= approve.textContent;
  const isWhole = choices.every((each) => each === true);
  approve.textContent = isWhole ? approve.dataset.whole : say(choices.some((each) => "content" in Object(each)) ? "approve-changed" : "approve-chosen");
}

/** Write another new text for a file, or leave it as it was proposed. */
async function editFile(button) {
  const file = button.closest(".changed-file");
  const changes = file.querySelector(".file-changes");
  const question = file.closest(".question");
  const before = file.querySelector("[data-new-text]");
  if (before) before.remove();
  else {
    const query = new URLSearchParams({ file: file.dataset.path });
    const { answer } = await send("GET", `/api/approvals/${encodeURIComponent(question.dataset.question)}/text?${query}`);
    if (file.querySelector("[data-new-text]")) return;
    const label = say("new-text", { path: file.dataset.path });
    const area = make("textarea", { "data-new-text": true, class: "mono", rows: 12, spellcheck: "false", "aria-label": label });
    area.value = answer.content;
    changes.after(area);
    area.focus();
  }
  changes.hidden = !before;
  file.querySelector("[data-file]").checked = true;
  button.textContent = say(before ? "edit" : "as-proposed");
  nameAnswer(question);
}
