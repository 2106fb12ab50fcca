// A question about several files: yes or no for each file and each place in it.

import { say } from "./dom.js";

/** What a yes says of each file; null where everything is wanted as it is shown, or where there are no files. */
export function chosenFiles(question) {
  const files = [...question.querySelectorAll(".changed-file")];
  if (!files.length) return null;
  return Object.fromEntries(files.map((file) => [file.dataset.path, choiceOf(file)]));
}

function choiceOf(file) {
  if (!file.querySelector("[data-file]").checked) return false;
  const hunks = [...file.querySelectorAll("[data-hunk]")];
  const wanted = hunks.filter((each) => each.checked).map((each) => Number(each.dataset.hunk));
  return hunks.length === wanted.length ? true : { hunks: wanted };
}

/** A file without any of its places is not wanted; one that is wanted again is wanted whole. */
export function followChoices() {
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
    const question = file.closest(".question");
    const isWhole = Object.values(chosenFiles(question)).every((each) => each === true);
    const approve = question.querySelector('[data-answer="approve"]');
    approve.dataset.whole ??= approve.textContent;
    approve.textContent = isWhole ? approve.dataset.whole : say("approve-chosen");
  });
}
