// The browser's own controls and the common ones that pages make.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const out = '<output id=out></output>';
const folder = mkdtempSync(join(tmpdir(), 'tracerule-torture-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const [a, b] = ['a.txt', 'b.txt'].map(name => { const file = join(folder, name); writeFileSync(file, name); return file; });
mkdirSync(join(folder, 'album/deep'), { recursive: true });
writeFileSync(join(folder, 'album/one.txt'), '1');
writeFileSync(join(folder, 'album/deep/two.txt'), '2');

export default {
  topic: 'Controls',
  cases: [
    {
      name: 'select by keyboard',
      page: `<label>Size <select id=s><option>Small<option>Medium<option>Large</select></label>`,
      act: [['click', 'document.body', { at: [0.9, 0.5] }], ['press', 'Tab'], ['press', 'ArrowDown'], ['press', 'ArrowDown']], then: ['s.value', 'Large'],
      expect: [{ action: 'click' }, { action: 'press', key: 'Tab' }, { action: 'select', name: 'Size', value: 'Large' }],
    },
    {
      name: 'select by typing a letter',
      page: `<label>Size <select id=s autofocus><option>Small<option>Medium<option>Large</select></label>`,
      act: [['press', 'l']], then: ['s.value', 'Large'],
      expect: [{ action: 'select', name: 'Size', value: 'Large' }],
    },
    {
      name: 'select by mouse',
      page: `<label>Size <select id=s><option>Small<option>Medium<option>Large</select></label>`,
      act: async hand => {
        await hand.click('s', { rest: 500 });
        // The list is the browser's own window; what points there is beyond both protocols, keys reach it.
        await hand.press('ArrowDown');
        await hand.press('ArrowDown');
        await hand.press('Enter');
        await hand.wait(200);
      }, then: ['s.value', 'Large'],
      expect: [{ action: 'select', name: 'Size', value: 'Large' }],
      firefox: { cannot: "the open list is the browser's own window, and BiDi's keys go to the page behind it" },
    },
    {
      name: 'select opened and closed again (a click)',
      page: `<label>Size <select id=s><option>Small<option>Medium</select></label>`,
      act: async hand => { await hand.click('s', { rest: 500 }); await hand.press('Escape'); await hand.wait(200); }, then: ['s.value', 'Small'],
      expect: [{ action: 'click', name: 'Size' }],
      firefox: { expect: [{ action: 'click', name: 'Size' }, { action: 'press', key: 'Escape' }] },
    },
    {
      name: 'list box: multiple select with Control',
      page: `<label>Toppings <select id=s multiple size=4><option>Cheese<option>Ham<option>Olives<option>Corn</select></label>`,
      act: [['click', 's.options[0]'], ['click', 's.options[2]', { mods: ['Control'] }]], then: ['[...s.selectedOptions].map(o=>o.value).join()', 'Cheese,Olives'],
      expect: [{ action: 'select', name: 'Toppings', values: ['Cheese', 'Olives'] }],
    },
    {
      name: 'checkbox clicked',
      page: `<label for=c>Gift</label><input type=checkbox id=c>`,
      act: [['click', 'c'], ['click', 'c']], then: ['c.checked', false],
      expect: [{ action: 'check', name: 'Gift' }, { action: 'uncheck', name: 'Gift' }],
    },
    {
      name: 'label clicked (one step, on the control)',
      page: `<label id=l for=c>Gift wrap</label><input type=checkbox id=c>`,
      act: [['click', 'l']], then: ['c.checked', true],
      expect: [{ action: 'check', role: 'checkbox', name: 'Gift wrap' }],
    },
    {
      name: 'label around a visually hidden checkbox',
      page: `<style>.vh{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}</style><label id=l><input class=vh type=checkbox id=c><span id=t>Dark mode</span></label>`,
      act: [['click', 't']], then: ['c.checked', true],
      expect: [{ action: 'check', role: 'checkbox', name: 'Dark mode' }],
    },
    {
      name: 'label of a checkbox with display: none',
      page: `<input type=checkbox id=c style="display:none"><label id=l for=c>Agree</label>`,
      act: [['click', 'l']], then: ['c.checked', true],
      expect: [{ action: 'check', name: 'Agree' }],
    },
    {
      name: 'radio group by mouse and arrow keys',
      page: `<fieldset><legend>Ship</legend><label><input type=radio name=r id=a>Air</label><label><input type=radio name=r id=b>Sea</label></fieldset>`,
      act: [['click', 'a'], ['press', 'ArrowDown']], then: ['b.checked', true],
      expect: [{ action: 'check', role: 'radio', name: 'Air' }, { action: 'check', role: 'radio', name: 'Sea' }],
    },
    {
      name: 'switch of the page\'s own',
      page: `<div id=s role=switch aria-checked=false tabindex=0 onclick="this.setAttribute('aria-checked',this.getAttribute('aria-checked')!=='true')">Wi-Fi</div>`,
      act: [['click', 's']],
      expect: [{ action: 'click', role: 'switch', name: 'Wi-Fi' }],
    },
    {
      name: 'label of a text field (a click into it)',
      page: `<label id=l for=i>Name</label><input id=i>`,
      act: [['click', 'l'], ['type', 'x']],
      expect: [{ action: 'click', name: 'Name' }, { action: 'fill', name: 'Name', value: 'x' }],
    },
    {
      name: 'date typed',
      page: `<label>Day <input id=i type=date></label>`,
      act: [['click', 'i', { at: [0.1, 0.5] }], ['type', '03152024']], then: ['i.value', '2024-03-15'],
      expect: [{ action: 'fill', name: 'Day', value: '2024-03-15' }],
    },
    {
      name: 'time typed',
      page: `<label>At <input id=i type=time></label>`,
      act: [['click', 'i', { at: [0.1, 0.5] }], ['type', '0930'], ['type', 'PM']], then: ['i.value', '21:30'],
      expect: [{ action: 'fill', name: 'At', value: '21:30' }],
    },
    {
      name: 'colour set',
      page: `<label>Ink <input id=i type=color value="#000000"></label>`,
      act: async hand => { await hand.page.locator('#i').fill('#ff8800'); },
      then: ['i.value', '#ff8800'],
      expect: [{ action: 'fill', name: 'Ink', value: '#ff8800' }],
      firefox: { cannot: 'the colour chooser is a window of the system' },
    },
    {
      name: 'range dragged',
      page: `<label>Level <input id=i type=range min=0 max=100 value=0 style="width:200px"></label>`,
      act: [['drag', 'i', 'i', { at: [0.04, 0.5], to_at: [0.75, 0.5] }]], then: ['+i.value > 50', true],
      expect: [{ action: 'fill', name: 'Level', value: /^\d\d$/ }],
    },
    {
      name: 'range by arrow keys',
      page: `<label>Level <input id=i type=range min=0 max=10 value=5 autofocus></label>`,
      act: [['press', 'ArrowRight', 2]], then: ['i.value', '7'],
      expect: [{ action: 'fill', name: 'Level', value: '7' }],
    },
    {
      name: 'number by its arrow keys',
      page: `<label>Count <input id=i type=number value=1></label>`,
      act: [['click', 'i', { at: [0.2, 0.5] }], ['press', 'ArrowUp', 2]], then: ['i.value', '3'],
      expect: [{ action: 'click' }, { action: 'fill', name: 'Count', value: '3' }],
    },
    {
      name: 'file from a chooser',
      page: `<label>File <input id=i type=file></label>`,
      act: [['choose', 'i', [a]]], then: ['i.files[0].name', 'a.txt'],
      expect: [{ action: 'upload', name: 'File', values: ['a.txt'] }],
    },
    {
      name: 'several files',
      page: `<label>Files <input id=i type=file multiple></label>`,
      act: [['choose', 'i', [a, b]]], then: ['i.files.length', 2],
      expect: [{ action: 'upload', name: 'Files', values: ['a.txt', 'b.txt'] }],
    },
    {
      name: 'files through a button that opens a hidden input',
      page: `<button id=b onclick="i.click()">Attach</button><input id=i type=file hidden aria-label=Attachment onchange="out.textContent=i.files[0].name">${out}`,
      act: async hand => { hand.chooser = 'i'; await hand.choose('b', [a]); }, then: ['out.textContent', 'a.txt'],
      expect: [{ action: 'upload', values: ['a.txt'] }],
    },
    {
      name: 'a directory',
      page: `<label>Album <input id=i type=file webkitdirectory></label>`,
      act: [['choose', 'i', [join(folder, 'album')]]], then: ['i.files.length', 2],
      expect: [{ action: 'upload', name: 'Album', values: v => v.length === 2 && v.every(n => n.startsWith('album/')) }],
      firefox: { cannot: 'BiDi sets files, not directories' },
    },
    {
      name: 'file dropped onto a zone',
      page: `<div id=z role=button aria-label="Drop files here" tabindex=0 style="width:200px;height:80px;background:#eee" ondragover="return false" ondrop="out.textContent=event.dataTransfer.files[0].name;return false">Drop</div>${out}`,
      act: async hand => {
        const { x, y } = await hand.spot('z');
        const data = { items: [], files: [a], dragOperationsMask: 1 };
        for (const type of ['dragEnter', 'dragOver', 'drop']) await hand.cdp.send('Input.dispatchDragEvent', { type, x, y, data });
      },
      then: ['out.textContent', 'a.txt'],
      expect: [{ action: 'upload', name: 'Drop files here', values: ['a.txt'] }],
      firefox: { cannot: 'BiDi has no drop from outside' },
    },
    {
      name: 'details opened by its summary',
      page: `<details id=d><summary id=s>More</summary><p>Text</p></details>`,
      act: [['click', 's']], then: ['d.open', true],
      expect: [{ action: 'click', name: 'More' }],
    },
    {
      name: 'dialog element: opened, a form in it sent',
      page: `<button id=b onclick="d.showModal()">Open</button><dialog id=d aria-label=Ask><form method=dialog><button id=ok value=yes>Yes</button></form></dialog>`,
      act: [['click', 'b'], ['click', 'ok']], then: ['d.returnValue', 'yes'],
      expect: [{ action: 'click', name: 'Open' }, { action: 'click', name: 'Yes' }],
    },
    {
      name: 'popover opened, and closed by a click outside',
      page: `<button id=b popovertarget=p>Info</button><div id=p popover><button id=inner>Inside</button></div><p id=q style="margin-top:200px">Elsewhere</p>`,
      act: [['click', 'b'], ['click', 'inner'], ['click', 'q']], then: ['p.matches(":popover-open")', false],
      expect: [{ action: 'click', name: 'Info' }, { action: 'click', name: 'Inside' }, { action: 'click' }],
    },
    {
      name: 'datalist: typed, suggestion taken by keys',
      page: `<input id=i list=l aria-label=Fruit><datalist id=l><option value=Mango><option value=Melon></datalist>`,
      act: async hand => { await hand.click('i'); await hand.type('Me', 400); await hand.press('ArrowDown', 1, 200); await hand.press('Enter', 1, 300); },
      then: ['i.value', 'Melon'],
      expect: [{ action: 'click' }, { action: 'fill', value: 'Me' }, { action: 'press', key: 'ArrowDown' }, { action: 'fill', value: 'Melon' }],
      chromium: { cannot: 'a browser without a screen opens no list of suggestions' },
      firefox: { cannot: 'a browser without a screen opens no list of suggestions' },
    },
    {
      name: 'combobox of the page\'s own, by mouse',
      page: `<div id=c role=combobox tabindex=0 aria-label=Country aria-expanded=false aria-controls=l>Choose</div><ul id=l role=listbox hidden><li role=option>Chile<li role=option>Peru</ul>
        <script>c.onclick=()=>{l.hidden=false;c.setAttribute('aria-expanded',true)};l.onmousedown=e=>{c.textContent=e.target.textContent;l.hidden=true}</script>`,
      act: [['click', 'c'], ['click', 'l.children[1]']], then: ['c.textContent', 'Peru'],
      expect: [{ action: 'click', role: 'combobox', name: 'Country' }, { action: 'click', role: 'option', name: 'Peru' }],
    },
    {
      name: 'combobox whose options come and go with the focus',
      page: `<input id=i role=combobox aria-label=City><div id=box></div><script>i.onfocus=()=>{box.innerHTML='<ul role=listbox><li role=option>Rome<li role=option>Riga</ul>';box.querySelectorAll('li').forEach(x=>x.onmousedown=e=>{e.preventDefault();i.value=x.textContent;box.innerHTML='';i.blur()})}</script>`,
      act: [['click', 'i'], ['click', 'box.querySelectorAll("li")[1]']], then: ['i.value', 'Riga'],
      expect: [{ action: 'click', name: 'City' }, { action: 'click', role: 'option', name: 'Riga' }],
    },
    {
      name: 'menu button and menu of the page\'s own, by keys',
      page: `<button id=b aria-haspopup=menu>Actions</button><div id=m role=menu hidden><div role=menuitem tabindex=-1>Copy link</div><div role=menuitem tabindex=-1>Archive</div></div>${out}
        <script>b.onclick=()=>{m.hidden=false;m.children[0].focus()};m.onkeydown=e=>{const i=[...m.children].indexOf(e.target);if(e.key==='ArrowDown')m.children[i+1].focus();if(e.key==='Enter'){out.textContent=e.target.textContent;m.hidden=true}}</script>`,
      act: [['click', 'b'], ['press', 'ArrowDown'], ['press', 'Enter']], then: ['out.textContent', 'Archive'],
      expect: [{ action: 'click', name: 'Actions' }, { action: 'press', key: 'ArrowDown', name: 'Copy link' }, { action: 'press', key: 'Enter', name: 'Archive' }],
    },
    {
      name: 'tabs of the page\'s own',
      page: `<div role=tablist><button role=tab id=t1 aria-selected=true>One</button><button role=tab id=t2>Two</button></div>`,
      act: [['click', 't2']],
      expect: [{ action: 'click', role: 'tab', name: 'Two' }],
    },
    {
      name: 'tree item expanded by its arrow key',
      page: `<ul role=tree aria-label=Files><li id=t role=treeitem tabindex=0 aria-expanded=false>src</li></ul><script>t.onkeydown=e=>{if(e.key==='ArrowRight')t.setAttribute('aria-expanded',true)}</script>`,
      act: [['click', 't'], ['press', 'ArrowRight']],
      expect: [{ action: 'click', role: 'treeitem', name: 'src' }, { action: 'press', key: 'ArrowRight' }],
    },
    {
      name: 'virtual list: wheel, then a row that was not there before',
      page: `<div id=v tabindex=0 role=list aria-label=Rows style="height:120px;overflow:auto;position:relative"><div style="height:20000px"></div></div>
        <script>const draw=()=>{const n=Math.floor(v.scrollTop/20);v.querySelectorAll('[role=listitem]').forEach(e=>e.remove());for(let i=n;i<n+6;i++){const d=document.createElement('div');d.setAttribute('role','listitem');d.style.cssText='position:absolute;height:20px;top:'+i*20+'px';d.innerHTML='<button>Row '+i+'</button>';v.append(d)}};v.onscroll=draw;draw();v.onclick=e=>out.textContent=e.target.textContent</script>${out}`,
      act: [['wheel', 'v', 1000], ['click', 'v.querySelectorAll("button")[2]']],
      expect: [{ action: 'scroll', name: 'Rows' }, { action: 'click', name: /^Row (4|5)\d$/ }],
    },
    {
      name: 'form reset by its button',
      page: `<form><input id=i aria-label=Word value=a><button type=reset id=r>Clear</button></form>`,
      act: [['click', 'i'], ['press', 'End'], ['type', 'b'], ['click', 'r']], then: ['i.value', 'a'],
      expect: [{ action: 'click' }, { action: 'fill', value: 'ab' }, { action: 'click', name: 'Clear' }],
    },
    {
      name: 'custom element with a field in its shadow root',
      page: `<x-f id=x></x-f><script>customElements.define('x-f',class extends HTMLElement{constructor(){super();this.attachShadow({mode:'open'}).innerHTML='<label>Deep <input></label>'}})</script>`,
      act: [['click', 'x.shadowRoot.querySelector("input")'], ['type', 'in']],
      expect: [{ action: 'click', name: 'Deep' }, { action: 'fill', name: 'Deep', value: 'in' }],
    },
  ],
};
