// The editors that pages build in, from npm: what is typed into each is one fill of its text.
import { buildSync } from 'esbuild';
import { root } from '../../lib/companion.mjs';

/** A page's script and style from npm's modules. */
function bundle(contents) {
  const { outputFiles } = buildSync({
    stdin: { contents, resolveDir: root }, bundle: true, write: false, outdir: 'out', logLevel: 'error', minify: true,
    loader: { '.ttf': 'dataurl' }, define: { 'process.env.NODE_ENV': '"production"' },
  });
  const text = end => outputFiles.find(file => file.path.endsWith(end))?.text ?? '';
  return {
    '/editor.js': { body: text('.js'), headers: { 'content-type': 'text/javascript; charset=utf-8' } },
    '/editor.css': { body: text('.css'), headers: { 'content-type': 'text/css; charset=utf-8' } },
  };
}

const page = inner => `<link rel=stylesheet href="{here}/editor.css">${inner}<script src="{here}/editor.js"></script>`;
const ready = hand => hand.until('window.ready');

export default {
  topic: 'Editors',
  cases: [
    {
      name: 'ProseMirror: text, Enter, Backspace',
      page: page('<div id=box></div>'),
      pages: () => bundle(`
        import {EditorState} from 'prosemirror-state'; import {EditorView} from 'prosemirror-view';
        import {schema} from 'prosemirror-schema-basic'; import {exampleSetup} from 'prosemirror-example-setup';
        window.view = new EditorView(document.getElementById('box'), {state: EditorState.create({schema, plugins: exampleSetup({schema, menuBar: false})}), attributes: {role: 'textbox', 'aria-label': 'Article', style: 'min-height:80px;white-space:pre-wrap'}});
        window.ready = true;`),
      before: ready,
      act: [['click', 'view.dom'], ['type', 'Helloo'], ['press', 'Backspace'], ['press', 'Enter'], ['type', 'world']],
      then: ['view.state.doc.textBetween(0, view.state.doc.content.size, "|")', 'Hello|world'],
      expect: [{ action: 'click', name: 'Article' }, { action: 'fill', name: 'Article', value: 'Hello\nworld' }],
    },
    {
      name: 'ProseMirror: bold by shortcut within a text',
      page: page('<div id=box></div>'),
      pages: () => bundle(`
        import {EditorState} from 'prosemirror-state'; import {EditorView} from 'prosemirror-view';
        import {schema} from 'prosemirror-schema-basic'; import {exampleSetup} from 'prosemirror-example-setup';
        window.view = new EditorView(document.getElementById('box'), {state: EditorState.create({schema, plugins: exampleSetup({schema, menuBar: false})}), attributes: {role: 'textbox', 'aria-label': 'Article', style: 'min-height:80px;white-space:pre-wrap'}});
        window.ready = true;`),
      before: ready,
      act: [['click', 'view.dom'], ['type', 'ab'], ['press', 'Control+b'], ['type', 'cd']],
      then: ['view.dom.querySelector("strong")?.textContent', 'cd'],
      expect: [{ action: 'click' }, { action: 'fill', value: 'ab' }, { action: 'press', key: 'Control+B', name: 'Article' }, { action: 'fill', name: 'Article', value: 'abcd' }],
    },
    {
      name: 'CodeMirror 6: text with lines and brackets',
      page: page('<div id=box></div>'),
      pages: () => bundle(`
        import {EditorView, basicSetup} from 'codemirror';
        window.view = new EditorView({parent: document.getElementById('box'), extensions: [basicSetup, EditorView.contentAttributes.of({'aria-label': 'Code'})]});
        window.ready = true;`),
      before: ready,
      act: [['click', 'view.contentDOM'], ['type', 'let a = 1'], ['press', 'Enter'], ['type', 'log(a)']],
      then: ['view.state.doc.toString()', 'let a = 1\nlog(a)'],
      expect: [{ action: 'click', name: 'Code' }, { action: 'fill', name: 'Code', value: 'let a = 1\nlog(a)' }],
    },
    {
      name: 'Lexical: text with a line break',
      page: page('<div id=box contenteditable role=textbox aria-label=Post style="min-height:60px"></div>'),
      pages: () => bundle(`
        import {createEditor} from 'lexical'; import {registerRichText} from '@lexical/rich-text'; import {registerHistory, createEmptyHistoryState} from '@lexical/history';
        const editor = createEditor({namespace: 't', onError(e) { throw e; }}); const box = document.getElementById('box');
        editor.setRootElement(box); registerRichText(editor); registerHistory(editor, createEmptyHistoryState(), 300); window.editor = editor; window.ready = true;`),
      before: ready,
      act: [['click', 'box'], ['type', 'Dear all'], ['press', 'Enter'], ['type', 'bye']],
      then: ['box.innerText.replace(/\\n+/g,"|")', 'Dear all|bye'],
      expect: [{ action: 'click', name: 'Post' }, { action: 'fill', name: 'Post', value: 'Dear all\nbye' }],
    },
    {
      name: 'Monaco: lines of code, an edit in mid-text',
      page: page('<div id=box style="width:500px;height:160px;border:1px solid"></div>'),
      pages: () => bundle(`
        import * as monaco from 'monaco-editor/editor/editor.api.js';
        window.MonacoEnvironment = {getWorker: () => new Worker(URL.createObjectURL(new Blob([''])))};
        window.editor = monaco.editor.create(document.getElementById('box'), {value: '', language: 'plaintext', minimap: {enabled: false}, quickSuggestions: false, wordBasedSuggestions: 'off'});
        window.ready = true;`),
      before: ready,
      act: [['click', 'box'], ['type', 'one'], ['press', 'Enter'], ['type', 'too'], ['press', 'ArrowLeft'], ['press', 'Backspace'], ['type', 'w']],
      then: ['editor.getValue()', 'one\ntwo'],
      expect: [{ action: 'click' }, { action: 'fill', value: 'one\ntwo' }],
    },
  ],
};
