// What users of other recorders reported as missing, wrong or double, as far as it is about input.
const out = '<output id=out></output>';

/** A finger from one point to another. */
async function swipe(hand, expression, by) {
  const from = await hand.spot(expression);
  const at = n => [{ x: from.x + by[0] * n / 6, y: from.y + by[1] * n / 6 }];
  await hand.cdp.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: at(0) });
  for (let n = 1; n <= 6; n++) { await hand.cdp.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: at(n) }); await hand.wait(16); }
  await hand.cdp.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  await hand.wait(500);
}

export default {
  topic: 'Reports',
  cases: [
    {
      name: 'typing, then a click elsewhere that blurs and commits (one fill)',
      page: `<input id=i aria-label=Name onchange="out.textContent='saved'" onblur="this.value=this.value.trim()"><button id=b>Next</button>${out}`,
      act: [['click', 'i'], ['type', 'Ada '], ['click', 'b']], then: ['i.value + out.textContent', 'Adasaved'],
      expect: [{ action: 'click' }, { action: 'fill', name: 'Name' }, { action: 'click', name: 'Next' }],
    },
    {
      name: 'field that a framework controls: every key is written back',
      page: `<div id=box></div><script>const i=document.createElement('input');i.setAttribute('aria-label','Code');box.append(i);i.oninput=()=>{const v=i.value;i.value='';i.value=v.toUpperCase()}</script>`,
      act: [['click', 'box.firstChild'], ['type', 'abc']], then: ['box.firstChild.value', 'ABC'],
      expect: [{ action: 'click' }, { action: 'fill', name: 'Code', value: 'ABC' }],
    },
    {
      name: 'toggle whose label flips: the name as it was',
      page: `<button id=b aria-pressed=false onclick="this.textContent=this.textContent==='Mute'?'Unmute':'Mute'">Mute</button>`,
      act: [['click', 'b', { rest: 1200 }], ['click', 'b']], then: ['b.textContent', 'Mute'],
      expect: [{ action: 'click', name: 'Mute' }, { action: 'click', name: 'Unmute' }],
    },
    {
      name: 'disabled button clicked',
      page: `<button id=b disabled>Pay</button>`,
      act: [['click', 'b']],
      expect: [{ action: 'click', name: 'Pay' }],
    },
    {
      name: 'label around a button and a field',
      page: `<label id=l>Amount <input id=i> <button type=button id=b onclick="out.textContent='max'">Max</button></label>${out}`,
      act: [['click', 'b']], then: ['out.textContent', 'max'],
      expect: [{ action: 'click', role: 'button', name: 'Max' }],
    },
    {
      name: 'checkbox in a row that selects on click',
      page: `<table><tr id=r onclick="if(event.target.tagName!=='INPUT')c.click();out.textContent=c.checked"><td>Ada</td><td><input type=checkbox id=c aria-label="Select Ada"></td></tr></table>${out}`,
      act: [['click', 'c'], ['click', 'r.cells[0]']], then: ['c.checked', false],
      expect: [{ action: 'check', name: 'Select Ada' }, { action: 'click' }],
    },
    {
      name: 'menu that closes on mousedown outside, before its item\'s click',
      page: `<button id=b>Open</button><div id=m hidden role=menu><div id=it role=menuitem>Delete</div></div>${out}<script>b.onclick=()=>m.hidden=false;document.addEventListener('pointerdown',e=>{if(!m.hidden&&e.target===it){out.textContent='deleted';m.remove()}},true)</script>`,
      act: [['click', 'b'], ['click', 'it']], then: ['out.textContent', 'deleted'],
      expect: [{ action: 'click', name: 'Open' }, { action: 'click', role: 'menuitem', name: 'Delete' }],
    },
    {
      name: 'search field cleared by Escape',
      page: `<input id=i type=search aria-label=Search>`,
      act: [['click', 'i'], ['type', 'abc'], ['press', 'Escape']], then: ['i.value', ''],
      expect: [{ action: 'click' }, { action: 'fill', value: 'abc' }, { action: 'press', key: 'Escape' }],
      firefox: { then: null },
    },
    {
      name: 'number field by its spin button',
      page: `<input id=i type=number aria-label=Count value=1 style="width:100px;height:40px">`,
      act: [['over', 'i'], ['wait', 200], ['click', 'i', { at: [0.9, 0.35] }]], then: ['i.value', '2'],
      expect: [{ action: 'fill', name: 'Count', value: '2' }],
      firefox: { then: null, expect: [{ action: /click|fill/, name: 'Count' }] },
    },
    {
      name: 'Control+Enter sends from a text area',
      page: `<textarea id=t aria-label=Comment onkeydown="if(event.ctrlKey&&event.key==='Enter')out.textContent=this.value"></textarea>${out}`,
      act: [['click', 't'], ['type', 'ok'], ['press', 'Control+Enter']], then: ['out.textContent', 'ok'],
      expect: [{ action: 'click' }, { action: 'fill', value: 'ok' }, { action: 'press', key: 'Control+Enter' }],
    },
    {
      name: 'link with an image in it dragged to a zone',
      page: `<a id=a href="#x" style="display:inline-block;padding:10px">Report</a><div id=z role=region aria-label=Shelf style="width:150px;height:60px;background:#eee;margin:10px"></div>${out}<script>z.ondragover=e=>e.preventDefault();z.ondrop=e=>{e.preventDefault();out.textContent='dropped'}</script>`,
      act: [['drag', 'a', 'z']], then: ['out.textContent', 'dropped'],
      expect: [{ action: 'drag', role: 'link', name: 'Report', to_target: t => t?.name === 'Shelf' }],
      firefox: { then: null },
    },
    {
      name: 'drag released outside of any zone',
      page: `<div id=src draggable=true role=button aria-label=Card style="width:80px;height:40px;background:#cde">Card</div><p style="margin-top:80px" id=p>Nowhere</p>`,
      act: [['drag', 'src', 'p']],
      expect: [{ action: 'drag', name: 'Card' }],
      firefox: { cannot: 'BiDi never ends a drag' },
    },
    {
      name: 'slide puzzle: dragged to a place by mouse events alone',
      page: `<div style="width:300px;background:#ddd"><div id=k role=slider tabindex=0 aria-label="Slide to verify" style="width:40px;height:40px;background:#27a;position:relative"></div></div>${out}<script>let x;k.onmousedown=e=>{x=e.clientX};document.onmousemove=e=>{if(x!=null)k.style.left=Math.min(260,e.clientX-x)+'px'};document.onmouseup=()=>{x=null;if(parseInt(k.style.left)>=200)out.textContent='verified'}</script>`,
      act: [['drag', 'k', [220, 0]]], then: ['out.textContent', 'verified'],
      expect: [{ action: 'drag', role: 'slider', name: 'Slide to verify' }],
    },
    {
      name: 'swipe of a finger on a carousel that takes it',
      page: `<div id=c role=region aria-label=Photos style="width:300px;height:120px;background:#bcd;touch-action:none"></div>${out}<script>let x;c.onpointerdown=e=>{x=e.clientX;c.setPointerCapture(e.pointerId)};c.onpointerup=e=>{if(x-e.clientX>50)out.textContent='next'}</script>`,
      act: hand => swipe(hand, 'c', [-120, 0]), then: ['out.textContent', 'next'],
      expect: [{ action: 'drag', name: 'Photos' }],
      firefox: { cannot: 'this hand swipes by the DevTools protocol' },
    },
    {
      name: 'scroll by a finger',
      page: `<div id=l tabindex=0 role=region aria-label=List style="height:150px;overflow:auto"><div style="height:2000px">long</div></div>`,
      act: hand => swipe(hand, 'l', [0, -60]), then: ['l.scrollTop > 20', true],
      expect: [{ action: 'scroll', cause: 'touch', name: 'List', to: p => p.y > 20 }],
      firefox: { cannot: 'this hand swipes by the DevTools protocol' },
    },
    {
      name: 'Shift and wheel scroll sideways',
      page: `<div id=l tabindex=0 role=region aria-label=Strip style="width:200px;height:80px;overflow:auto"><div style="width:2000px">wide</div></div>`,
      act: async hand => { await hand.keyDown('Shift'); await hand.wheel('l', 200); await hand.keyUp('Shift'); },
      then: ['l.scrollLeft > 50', true],
      expect: [{ action: 'scroll', cause: 'wheel', name: 'Strip', to: p => p.x > 50 }],
      firefox: { then: null, cannot: 'BiDi\'s wheel takes no keys of another command' },
    },
    {
      name: 'click while the page scrolls to a target by itself (one click)',
      page: `<a id=a href="#far">Go far</a><div style="height:3000px"></div><h2 id=far>Far</h2><div style="height:1000px"></div>`,
      act: [['click', 'a', { rest: 500 }]], then: ['scrollY > 1000', true],
      expect: [{ action: 'click', role: 'link', name: 'Go far' }],
    },
    {
      name: 'options of a select written anew on focus',
      page: `<label>Unit <select id=s><option>…</select></label><script>s.onfocus=()=>{if(s.options.length<2)s.innerHTML='<option>kg<option>lb'}</script>`,
      act: [['press', 'Tab'], ['press', 'ArrowDown']], then: ['s.value', 'lb'],
      expect: [{ action: 'press', key: 'Tab' }, { action: 'select', name: 'Unit', value: 'lb' }],
    },
    {
      name: 'select in groups, by its label',
      page: `<label>City <select id=s autofocus><optgroup label=Chile><option value=scl>Santiago</optgroup><optgroup label=Peru><option value=lim>Lima</optgroup></select></label>`,
      act: [['press', 'ArrowDown']], then: ['s.value', 'lim'],
      expect: [{ action: 'select', name: 'City', value: 'Lima' }],
    },
    {
      name: 'rating by stars that are hidden radios',
      page: `<style>input{position:absolute;opacity:0}</style><fieldset><legend>Rating</legend>${[1, 2, 3].map(n => `<input type=radio name=s id=s${n}><label for=s${n} id=l${n}>${n} stars</label> `).join('')}</fieldset>`,
      act: [['click', 'l3']], then: ['s3.checked', true],
      expect: [{ action: 'check', role: 'radio', name: '3 stars' }],
    },
    {
      name: 'tags: Enter and comma make a chip and clear the field',
      page: `<div id=chips></div><input id=i aria-label=Tags onkeydown="if(event.key==='Enter'||event.key===','){event.preventDefault();chips.append('['+this.value+']');this.value=''}">`,
      act: [['click', 'i'], ['type', 'red'], ['press', 'Enter'], ['type', 'blue'], ['press', 'Enter']], then: ['chips.textContent', '[red][blue]'],
      expect: [{ action: 'click' }, { action: 'fill', value: 'red' }, { action: 'press', key: 'Enter' }, { action: 'fill', value: 'blue' }, { action: 'press', key: 'Enter' }],
    },
    {
      name: 'click that opens a modal whose backdrop comes under the pointer',
      page: `<button id=b>Ask</button><script>b.onclick=()=>{const d=document.createElement('div');d.setAttribute('role','dialog');d.style.cssText='position:fixed;inset:0;background:#0008';d.innerHTML='<button style="margin:150px">Yes</button>';document.body.append(d)}</script>`,
      act: [['click', 'b'], ['click', 'document.querySelector("[role=dialog] button")']],
      expect: [{ action: 'click', name: 'Ask' }, { action: 'click', name: 'Yes' }],
    },
  ],
};
