// Typing, shortcuts, navigation by keys, compositions.
const out = '<output id=out></output>';
const heard = `<script>onkeydown=e=>{out.textContent+=e.key+' '}</script>`;

/** One key of a layout of its own, as the browser's input system gives it. */
const raw = (hand, key, more = {}) => hand.cdp.send('Input.dispatchKeyEvent', { type: 'keyDown', key, ...more }).then(() => hand.cdp.send('Input.dispatchKeyEvent', { type: 'keyUp', key, ...more, text: undefined }));

export default {
  topic: 'Keys',
  cases: [
    {
      name: 'type into a field',
      page: `<label>Name <input id=i></label>`,
      act: [['click', 'i'], ['type', 'hello there']],
      expect: [{ action: 'click', name: 'Name' }, { action: 'fill', name: 'Name', value: 'hello there' }],
    },
    {
      name: 'password (masked)',
      page: `<label>Password <input id=i type=password></label>`,
      act: [['click', 'i'], ['type', 'Tr0ub4dor']],
      expect: [{ action: 'click' }, { action: 'fill', secret: true, value: '••••••••' }],
    },
    {
      name: 'type, then Enter submits',
      page: `<form onsubmit="out.textContent='sent '+q.value;return false"><input id=q aria-label=Query></form>${out}`,
      act: [['click', 'q'], ['type', 'cats'], ['press', 'Enter']], then: ['out.textContent', 'sent cats'],
      expect: [{ action: 'click' }, { action: 'fill', value: 'cats' }, { action: 'press', key: 'Enter', name: 'Query' }],
    },
    {
      name: 'Enter in a form with a button (no click of its own)',
      page: `<form onsubmit="out.textContent='sent';return false"><input id=q aria-label=Query><button>Go</button></form>${out}`,
      act: [['click', 'q'], ['type', 'x'], ['press', 'Enter']], then: ['out.textContent', 'sent'],
      expect: [{ action: 'click' }, { action: 'fill', value: 'x' }, { action: 'press', key: 'Enter', name: 'Query' }],
    },
    {
      name: 'Backspace, caret moves and an edit in mid-text (one fill)',
      page: `<input id=i aria-label=Word>`,
      act: [['click', 'i'], ['type', 'helo!'], ['press', 'Backspace'], ['press', 'ArrowLeft'], ['type', 'l'], ['press', 'End'], ['type', ' you']], then: ['i.value', 'hello you'],
      expect: [{ action: 'click' }, { action: 'fill', name: 'Word', value: 'hello you' }],
    },
    {
      name: 'caret placed by the mouse within a text, then an edit',
      page: `<input id=i aria-label=Word value="ad" style="font:20px monospace">`,
      act: [['click', 'i', { at: [0.0, 0.5] }], ['press', 'Home'], ['press', 'ArrowRight'], ['type', 'nd']], then: ['i.value', 'andd'],
      expect: [{ action: 'click', name: 'Word' }, { action: 'fill', value: 'andd' }],
    },
    {
      name: 'Delete of a marked word, undo and redo (one fill)',
      page: `<input id=i aria-label=Word value="one two">`,
      act: [['click', 'i'], ['press', 'Control+a'], ['press', 'Delete'], ['type', 'three'], ['press', 'Control+z'], ['press', 'Control+Shift+z']],
      expect: [{ action: 'click' }, { action: 'press', key: 'Control+A' }, { action: 'fill', name: 'Word' }],
    },
    {
      name: 'a text area with line breaks (one fill)',
      page: `<textarea id=t aria-label=Notes></textarea>`,
      act: [['click', 't'], ['type', 'one'], ['press', 'Enter'], ['type', 'two']], then: ['t.value', 'one\ntwo'],
      expect: [{ action: 'click' }, { action: 'fill', value: 'one\ntwo' }],
    },
    {
      name: 'a text area whose Enter sends (press of its own)',
      page: `<textarea id=t aria-label=Chat onkeydown="if(event.key==='Enter'){event.preventDefault();out.textContent=this.value;this.value=''}"></textarea>${out}`,
      act: [['click', 't'], ['type', 'hi'], ['press', 'Enter']], then: ['out.textContent', 'hi'],
      expect: [{ action: 'click' }, { action: 'fill', value: 'hi' }, { action: 'press', key: 'Enter', name: 'Chat' }],
    },
    {
      name: 'shortcut on a focusable element',
      page: `<div id=d tabindex=0 role=application aria-label=Board>Board</div>${out}${heard}`,
      act: [['click', 'd'], ['press', 'Control+k']],
      expect: [{ action: 'click', name: 'Board' }, { action: 'press', key: 'Control+K', name: 'Board' }],
    },
    {
      name: 'shortcuts with any modifier',
      page: `<div id=d tabindex=0 role=application aria-label=Board>Board</div><script>onkeydown=e=>e.preventDefault()</script>`,
      act: [['click', 'd'], ['press', 'Alt+j'], ['press', 'Control+Shift+l'], ['press', 'Meta+i'], ['press', 'Shift+Enter'], ['press', 'Control+Alt+u']],
      expect: [{ action: 'click' }, { action: 'press', key: 'Alt+J' }, { action: 'press', key: 'Control+Shift+L' }, { action: 'press', key: 'Meta+I' }, { action: 'press', key: 'Shift+Enter' }, { action: 'press', key: 'Control+Alt+U' }],
    },
    {
      name: 'shortcut within a field',
      page: `<input id=i aria-label=Word onkeydown="if(event.ctrlKey&&event.key==='k'){event.preventDefault();out.textContent='k'}">${out}`,
      act: [['click', 'i'], ['type', 'ab'], ['press', 'Control+k'], ['type', 'c']], then: ['out.textContent', 'k'],
      expect: [{ action: 'click' }, { action: 'fill', value: 'ab' }, { action: 'press', key: 'Control+K' }, { action: 'fill', value: 'abc' }],
    },
    {
      name: 'plain keys outside fields',
      page: `<div id=d tabindex=0 role=application aria-label=Mail>Mail</div>${out}${heard}`,
      act: [['click', 'd'], ['press', 'j'], ['press', 'j'], ['press', '?']],
      expect: [{ action: 'click' }, { action: 'press', key: 'j', name: 'Mail' }, { action: 'press', key: 'j' }, { action: 'press', key: '?' }],
    },
    {
      name: 'plain key with nothing focused',
      page: `${out}${heard}`,
      act: [['press', 'g'], ['press', 'Escape']], then: ['out.textContent', 'g Escape '],
      expect: [{ action: 'press', key: 'g' }, { action: 'press', key: 'Escape' }],
    },
    {
      name: 'AltGr makes a character, where it tells as Control and Alt',
      page: `<input id=i aria-label=Mail>`,
      act: async hand => {
        await hand.click('i');
        await hand.type('a');
        await raw(hand, '@', { code: 'KeyQ', text: '@', modifiers: 3 });
        await hand.type('b');
      },
      chromium: { cannot: 'only Windows tells AltGr as Control and Alt; here such a key makes no character (tests/steps has it)' },
      then: ['i.value', 'a@b'],
      expect: [{ action: 'click' }, { action: 'fill', name: 'Mail', value: 'a@b' }],
      firefox: { cannot: 'BiDi types characters without the layout\'s AltGr' },
    },
    {
      name: 'AltGr key itself, and a select after it',
      page: `<input id=i aria-label=Mail><label>Size <select id=s><option>S<option>M</select></label>`,
      act: async hand => {
        await hand.click('i');
        await hand.cdp.send('Input.dispatchKeyEvent', { type: 'keyDown', key: 'AltGraph', code: 'AltRight' });
        await raw(hand, '€', { code: 'KeyE', text: '€' });
        await hand.cdp.send('Input.dispatchKeyEvent', { type: 'keyUp', key: 'AltGraph', code: 'AltRight' });
        await hand.press('Tab');
        await hand.press('ArrowDown');
      },
      then: ['i.value+s.value', '€M'],
      expect: [{ action: 'click' }, { action: 'fill', value: '€' }, { action: 'press', key: 'Tab' }, { action: 'select', name: 'Size', value: 'M' }],
      firefox: { cannot: 'BiDi types characters without the layout\'s AltGr' },
    },
    {
      name: 'dead key, then its letter (one edit)',
      page: `<input id=i aria-label=Word>`,
      act: async hand => {
        await hand.click('i');
        await hand.type('caf');
        await raw(hand, 'Dead', { code: 'Quote' });
        await raw(hand, 'é', { code: 'KeyE', text: 'é' });
      },
      then: ['i.value', 'café'],
      expect: [{ action: 'click' }, { action: 'fill', value: 'café' }],
      firefox: { cannot: 'BiDi has no dead keys' },
    },
    {
      name: 'composition by an input method (one edit)',
      page: `<input id=i aria-label=Word>`,
      act: async hand => {
        await hand.click('i');
        for (const key of ['n', 'i', 'h']) await hand.cdp.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', key: 'Process', code: `Key${key.toUpperCase()}`, windowsVirtualKeyCode: 229 });
        for (const text of ['n', 'に', 'にほ', '日本']) await hand.cdp.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length });
        await hand.cdp.send('Input.insertText', { text: '日本' });
        await hand.wait(60);
        await hand.cdp.send('Input.imeSetComposition', { text: '語', selectionStart: 1, selectionEnd: 1 });
        await hand.cdp.send('Input.insertText', { text: '語' });
      },
      then: ['i.value', '日本語'],
      expect: [{ action: 'click' }, { action: 'fill', name: 'Word', value: '日本語' }],
      firefox: { cannot: 'BiDi has no compositions' },
    },
    {
      name: 'composition in editable content, ended by Enter',
      page: `<div id=i contenteditable role=textbox aria-label=Text></div>`,
      act: async hand => {
        await hand.click('i');
        await hand.cdp.send('Input.imeSetComposition', { text: 'か', selectionStart: 1, selectionEnd: 1 });
        await hand.cdp.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', key: 'Process', code: 'Enter', windowsVirtualKeyCode: 229 });
        await hand.cdp.send('Input.insertText', { text: '火' });
      },
      then: ['i.textContent', '火'],
      expect: [{ action: 'click' }, { action: 'fill', name: 'Text', value: '火' }],
      firefox: { cannot: 'BiDi has no compositions' },
    },
    {
      name: 'Tab and Shift+Tab move the focus',
      page: `<input id=a aria-label=One><input aria-label=Two><input aria-label=Three>`,
      act: [['click', 'a'], ['press', 'Tab'], ['press', 'Tab'], ['press', 'Shift+Tab'], ['type', 'x']],
      expect: [{ action: 'click' }, { action: 'press', key: 'Tab' }, { action: 'press', key: 'Tab' }, { action: 'press', key: 'Shift+Tab' }, { action: 'fill', name: 'Two', value: 'x' }],
    },
    {
      name: 'arrows in a list of the page\'s own',
      page: `<ul id=l role=listbox tabindex=0 aria-label=Colours><li role=option aria-selected=true>Red<li role=option>Blue</ul><script>l.onkeydown=e=>{if(e.key==='ArrowDown')l.children[1].setAttribute('aria-selected',true)}</script>`,
      act: [['click', 'l.children[0]'], ['press', 'ArrowDown']],
      expect: [{ action: 'click', name: 'Red' }, { action: 'press', key: 'ArrowDown', name: 'Colours' }],
    },
    {
      name: 'Enter on a focused button (one step)',
      page: `<input id=i aria-label=Word><button onclick="out.textContent+='c'">Go</button>${out}`,
      act: [['click', 'i'], ['press', 'Tab'], ['press', 'Enter']], then: ['out.textContent', 'c'],
      expect: [{ action: 'click' }, { action: 'press', key: 'Tab' }, { action: 'press', key: 'Enter', name: 'Go' }],
    },
    {
      name: 'Space on a focused button (one step)',
      page: `<input id=i aria-label=Word><button onclick="out.textContent+='c'">Go</button>${out}`,
      act: [['click', 'i'], ['press', 'Tab'], ['press', 'Space']], then: ['out.textContent', 'c'],
      expect: [{ action: 'click' }, { action: 'press', key: 'Tab' }, { action: 'press', key: 'Space', name: 'Go' }],
    },
    {
      name: 'Enter on a focused link',
      page: `<input id=i aria-label=Word><a href="#there">There</a>`,
      act: [['click', 'i'], ['press', 'Tab'], ['press', 'Enter']], then: ['location.hash', '#there'],
      expect: [{ action: 'click' }, { action: 'press', key: 'Tab' }, { action: 'press', key: 'Enter', name: 'There' }],
    },
    {
      name: 'Space toggles a checkbox',
      page: `<input id=i aria-label=Word><label><input type=checkbox id=c>Gift</label>`,
      act: [['click', 'i'], ['press', 'Tab'], ['press', 'Space']], then: ['c.checked', true],
      expect: [{ action: 'click' }, { action: 'press', key: 'Tab' }, { action: 'check', name: 'Gift' }],
    },
    {
      name: 'key held down repeats (one step)',
      page: `<div id=d tabindex=0 role=application aria-label=Game>Game</div><script>let n=0;d.onkeydown=()=>n++</script>`,
      act: [['click', 'd'], ['holdKey', 'ArrowRight', 5]],
      expect: [{ action: 'click' }, { action: 'press', key: 'ArrowRight', name: 'Game' }],
      firefox: { cannot: 'BiDi marks no key as repeated' },
    },
    {
      name: 'letter held down in a field (one fill)',
      page: `<input id=i aria-label=Word>`,
      act: [['click', 'i'], ['holdKey', 'a', 4]], then: ['i.value', 'aaaaa'],
      expect: [{ action: 'click' }, { action: 'fill', value: 'aaaaa' }],
      firefox: { act: undefined, cannot: 'BiDi marks no key as repeated' },
    },
    {
      name: 'PageDown scrolls (the key is the step)',
      page: `<div style="height:4000px"><p>Top</div>`,
      act: [['press', 'PageDown', 1, 600]], then: ['scrollY > 100', true],
      expect: [{ action: 'press', key: 'PageDown' }],
      check: (steps, { scroll }) => (scroll.length === 1 && scroll[0].cause === 'key' && scroll[0].to.y > 100 ? undefined : `told: ${JSON.stringify(scroll)}`),
    },
    {
      name: 'Escape closes a dialog of the page',
      page: `<dialog id=d><button>In</button></dialog><button id=b onclick="d.showModal()">Open</button>`,
      act: [['click', 'b'], ['press', 'Escape']], then: ['d.open', false],
      expect: [{ action: 'click', name: 'Open' }, { action: 'press', key: 'Escape' }],
    },
    {
      name: 'masked input that writes its own separators',
      page: `<input id=i aria-label=Phone><script>i.oninput=()=>{const d=i.value.replace(/\\D/g,'').slice(0,7);i.value=d.length>3?d.slice(0,3)+'-'+d.slice(3):d}</script>`,
      act: [['click', 'i'], ['type', '5551234']], then: ['i.value', '555-1234'],
      expect: [{ action: 'click' }, { action: 'fill', name: 'Phone', value: '555-1234' }],
    },
    {
      name: 'masked input that takes the keys itself',
      page: `<input id=i aria-label=Amount value="0.00"><script>let d='';i.onkeydown=e=>{if(/\\d/.test(e.key)){e.preventDefault();d+=e.key;i.value=(+d/100).toFixed(2)}}</script>`,
      act: [['click', 'i'], ['type', '1234'], ['press', 'Tab']], then: ['i.value', '12.34'],
      expect: [{ action: 'click' }, { action: 'fill', name: 'Amount', value: '12.34' }, { action: 'press', key: 'Tab' }],
    },
    {
      name: 'field created again at every key (one fill)',
      page: `<div id=box></div><script>let v='';const draw=()=>{box.innerHTML='<label>City <input></label>';const i=box.querySelector('input');i.value=v;i.oninput=()=>{v=i.value;draw();const j=box.querySelector('input');j.focus();j.setSelectionRange(9,9)}};draw()</script>`,
      act: [['click', 'box.querySelector("input")'], ['type', 'Oslo']], then: ['v', 'Oslo'],
      expect: [{ action: 'click', name: 'City' }, { action: 'fill', name: 'City', value: 'Oslo' }],
    },
    {
      name: 'code spread over single-digit fields',
      page: `<div id=g>${[1, 2, 3].map(n => `<input size=1 maxlength=1 aria-label="Digit ${n}">`).join('')}</div><script>g.oninput=e=>e.target.nextElementSibling?.focus()</script>`,
      act: [['click', 'g.children[0]'], ['type', '407']], then: ['[...g.children].map(i=>i.value).join("")', '407'],
      expect: [{ action: 'click' }, { action: 'fill', name: 'Digit 1', value: '4' }, { action: 'fill', name: 'Digit 2', value: '0' }, { action: 'fill', name: 'Digit 3', value: '7' }],
    },
    {
      name: 'suggestions, taken by arrow and Enter',
      page: `<input id=i role=combobox aria-label=Fruit aria-expanded=false aria-controls=l><ul id=l role=listbox hidden><li role=option>Apple<li role=option>Apricot</ul><script>let n=-1;i.oninput=()=>l.hidden=false;i.onkeydown=e=>{if(e.key==='ArrowDown'){n++;e.preventDefault();[...l.children].forEach((c,k)=>c.setAttribute('aria-selected',k===n))}if(e.key==='Enter'&&n>=0){i.value=l.children[n].textContent;l.hidden=true}}</script>`,
      act: [['click', 'i'], ['type', 'ap'], ['press', 'ArrowDown'], ['press', 'ArrowDown'], ['press', 'Enter']], then: ['i.value', 'Apricot'],
      expect: [{ action: 'click' }, { action: 'fill', value: 'ap' }, { action: 'press', key: 'ArrowDown' }, { action: 'press', key: 'ArrowDown' }, { action: 'press', key: 'Enter' }],
    },
    {
      name: 'autofill (a key without a name, then values)',
      page: `<form><input id=a autocomplete=given-name aria-label=First><input id=b autocomplete=family-name aria-label=Last></form>
        <script>onkeydown=()=>{}</script>`,
      act: async hand => {
        await hand.click('a');
        await hand.cdp.send('Autofill.enable');
        await hand.run("a.dispatchEvent(new Event('keydown',{bubbles:true}))");
        await hand.cdp.send('Autofill.trigger', await autofill(hand));
        await hand.wait(300);
      },
      then: ['a.value', 'Ada'],
      expect: [{ action: 'click', name: 'First' }, { action: 'fill', name: 'First', value: 'Ada' }, { action: 'fill', name: 'Last', value: 'Lovelace' }],
      firefox: { cannot: 'BiDi cannot fill in a stored address' },
      chromium: { cannot: 'headless Chromium fills in no stored address; tests/steps holds the events' },
    },
  ],
};

async function autofill(hand) {
  const { root } = await hand.cdp.send('DOM.getDocument', {});
  const { nodeId } = await hand.cdp.send('DOM.querySelector', { nodeId: root.nodeId, selector: '#a' });
  const { node } = await hand.cdp.send('DOM.describeNode', { nodeId });
  return { fieldId: node.backendNodeId, address: { fields: [{ name: 'NAME_FIRST', value: 'Ada' }, { name: 'NAME_LAST', value: 'Lovelace' }] } };
}
