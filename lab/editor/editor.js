// The lab's editor: CodeMirror with CUDA C and PTX, and errors in place.
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { cpp } from "@codemirror/lang-cpp";
import { HighlightStyle, StreamLanguage, bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { Compartment, EditorState, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, drawSelection, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

// ptx colours PTX: directives, types and modifiers, opcodes, registers, numbers, labels.
const ptx = StreamLanguage.define({
  name: "ptx",
  startState: () => ({ comment: false, start: true }),
  token(stream, state) {
    if (stream.sol()) state.start = true;
    if (state.comment) {
      if (stream.match(/^.*?\*\//)) state.comment = false;
      else stream.skipToEnd();
      return "comment";
    }
    if (stream.eatSpace()) return null;
    if (stream.match("//")) {
      stream.skipToEnd();
      return "comment";
    }
    if (stream.match("/*")) {
      state.comment = true;
      return "comment";
    }
    const start = state.start;
    state.start = false;
    if (stream.match(/^[;{}]/)) {
      state.start = true;
      return "punctuation";
    }
    if (start && stream.match(/^[A-Za-z_$][\w$]*:/)) {
      state.start = true;
      return "labelName";
    }
    if (stream.match(/^@!?%?\w+/)) {
      state.start = true;
      return "controlKeyword";
    }
    if (stream.match(/^0[fFdD][0-9a-fA-F]+|^0[xX][0-9a-fA-F]+U?|^\d+(\.\d+)?([eE][+-]?\d+)?U?/)) return "number";
    if (stream.match(/^%[\w$.]+/)) return "variableName";
    if (stream.match(/^\.[\w:]+/)) return start ? "keyword" : "typeName";
    if (start && stream.match(/^[a-z]\w*/)) return "operator";
    if (stream.match(/^[A-Za-z_$][\w$]*/)) return "name";
    if (stream.match(/^"[^"]*"/)) return "string";
    stream.next();
    return null;
  },
  languageData: { commentTokens: { line: "//" } },
});

// Colours are variables of the page's style sheet, so that dark mode is said in one place.
const colors = HighlightStyle.define([
  { tag: [tags.keyword, tags.controlKeyword, tags.modifier], color: "var(--code-keyword)" },
  { tag: [tags.operatorKeyword, tags.operator], color: "var(--code-operator)" },
  { tag: [tags.typeName, tags.standard(tags.name)], color: "var(--code-type)" },
  { tag: [tags.number, tags.string, tags.literal], color: "var(--code-number)" },
  { tag: [tags.comment], color: "var(--code-comment)", fontStyle: "italic" },
  { tag: [tags.labelName, tags.processingInstruction, tags.meta], color: "var(--code-label)" },
  { tag: [tags.variableName], color: "var(--code-name)" },
]);

const theme = EditorView.theme({
  "&": { maxHeight: "30rem", font: "14px/1.5 ui-monospace, 'SF Mono', Menlo, Consolas, monospace", color: "var(--ink)", background: "var(--paper)" },
  "&.cm-focused": { outline: "2px solid var(--focus)", outlineOffset: "-2px" },
  ".cm-scroller": { overflow: "auto", font: "inherit" },
  ".cm-gutters": { background: "var(--wash)", color: "var(--soft)", border: "none" },
  "&.cm-focused .cm-activeLine, &.cm-focused .cm-activeLineGutter": { background: "color-mix(in srgb, var(--accent) 9%, transparent)" },
  ".cm-line.lit": { background: "color-mix(in srgb, var(--accent) 26%, transparent)", boxShadow: "inset 4px 0 var(--accent)" },
  ".cm-cursor": { borderColor: "var(--ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { background: "color-mix(in srgb, var(--focus) 30%, transparent)" },
  ".cm-tooltip": { background: "var(--paper)", color: "var(--ink)", border: "1px solid var(--line)" },
});

// lit are the lines that a page shows as running.
const setLit = StateEffect.define();
const lit = StateField.define({
  create: () => Decoration.none,
  update(lines, change) {
    for (const e of change.effects) {
      if (e.is(setLit)) return Decoration.set(e.value.map((n) => Decoration.line({ class: "lit" }).range(change.state.doc.line(n).from)));
    }
    return change.docChanged ? Decoration.none : lines;
  },
  provide: (field) => EditorView.decorations.from(field),
});

// createEditor puts an editor into an element, in a shadow root: there CodeMirror's style sheets are objects, which a strict content security
// policy allows, and not style elements, which it does not. Tab indents; Escape and then Tab leaves the editor, as CodeMirror's manual asks of it.
export function createEditor(parent, { text, language, label, changed, run }) {
  const languages = new Compartment();
  const of = (name) => (name === "ptx" ? ptx : cpp());
  const root = parent.attachShadow({ mode: "open" });
  const view = new EditorView({
    root, parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(), highlightActiveLineGutter(), history(), drawSelection(), indentUnit.of("    "), indentOnInput(), bracketMatching(), highlightActiveLine(),
        syntaxHighlighting(colors), theme, lintGutter(), lit, languages.of(of(language)),
        keymap.of([{ key: "Mod-Enter", run: () => { run?.(); return true; } }, ...defaultKeymap, ...historyKeymap, indentWithTab]),
        EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
        EditorView.updateListener.of((update) => update.docChanged && changed?.()),
      ],
    }),
  });
  // An editor that was laid out while it was out of sight has guessed the heights of its lines; it measures them when it comes into sight.
  new IntersectionObserver(() => view.requestMeasure()).observe(parent);
  return {
    text: () => view.state.doc.toString(),
    setText: (value) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: value } }),
    setLanguage: (name) => view.dispatch({ effects: languages.reconfigure(of(name)) }),
    focus: () => view.focus(),
    // light marks lines, counted from 1, as running, and brings the first into the editor's own view.
    light(lines) {
      const there = [...new Set(lines)].filter((n) => n > 0 && n <= view.state.doc.lines).sort((a, b) => a - b);
      view.dispatch({ effects: setLit.of(there) });
      if (there.length === 0) return;
      const block = view.lineBlockAt(view.state.doc.line(there[0]).from), scroller = view.scrollDOM;
      if (block.top < scroller.scrollTop || block.bottom > scroller.scrollTop + scroller.clientHeight) scroller.scrollTop = block.top - scroller.clientHeight / 2;
    },
    // setErrors marks lines, counted from 1; none clears them.
    setErrors(errors) {
      const doc = view.state.doc;
      view.dispatch(setDiagnostics(view.state, errors.map(({ line, column, message }) => {
        const at = doc.line(Math.min(Math.max(line, 1), doc.lines));
        const from = Math.min(at.to, at.from + Math.max((column || 1) - 1, 0));
        return { from, to: Math.max(from, at.to), severity: "error", message };
      })));
    },
  };
}
