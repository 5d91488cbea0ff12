// A hover is a step only when it changed something that a later step needed.
const menu = 'style="position:absolute;background:#eee;padding:4px"';

export default {
  topic: 'Hover',
  cases: [
    {
      name: 'menu opened by a script on hover, sub item clicked',
      page: `<div id=m role=button tabindex=0 onmouseenter="sub.style.display='block'">File</div><div id=sub role=menu ${menu.replace('style="', 'style="display:none;')}><div id=it role=menuitem onclick="out.textContent='ok'">Open</div></div><output id=out></output>`,
      act: [['over', 'm'], ['click', 'it']], then: ['out.textContent', 'ok'],
      expect: [{ action: 'hover', name: 'File' }, { action: 'click', role: 'menuitem', name: 'Open' }],
    },
    {
      name: 'menu of style sheets alone, sub item clicked',
      page: `<style>nav .sub{display:none}nav:hover .sub{display:block}</style><nav id=m aria-label=Main style="width:120px;background:#ddd">Products<div class=sub id=sub ${menu}><a id=it href="#one">Shoes</a></div></nav>`,
      act: [['over', 'm'], ['click', 'it']], then: ['location.hash', '#one'],
      expect: [{ action: 'hover', name: 'Main' }, { action: 'click', role: 'link', name: 'Shoes' }],
    },
    {
      name: 'menu of style sheets by opacity and visibility',
      page: `<style>#sub{visibility:hidden;opacity:0}#m:hover #sub{visibility:visible;opacity:1}</style><ul style="padding:0;list-style:none"><li id=m style="width:120px;background:#ddd"><span>Team</span><ul id=sub ${menu}><li><button id=it>People</button></ul></ul>`,
      act: [['over', 'm'], ['click', 'it']],
      expect: [{ action: 'hover', role: 'listitem' }, { action: 'click', role: 'button', name: 'People' }],
    },
    {
      name: 'two levels of menus of style sheets',
      page: `<style>li>ul{display:none}li:hover>ul{display:block}</style><ul style="width:100px;padding:0;list-style:none"><li id=m style="background:#ddd">Shop<ul ${menu}><li id=n style="padding:4px">Men<ul style="position:absolute;left:70px;top:0;background:#ccc;padding:4px"><li><a id=it href="#hat">Hats</a></ul></ul></ul>`,
      act: [['over', 'm'], ['over', 'n', { at: [0.2, 0.5] }], ['over', 'it'], ['click', 'it']], then: ['location.hash', '#hat'],
      expect: [{ action: 'hover' }, { action: 'hover' }, { action: 'click', role: 'link', name: 'Hats' }],
    },
    {
      name: 'row action shown while its row is hovered',
      page: `<style>button{display:none}tr:hover button{display:inline}</style><table><tr id=r1><td>Ada</td><td><button>Edit Ada</button></td><tr id=r2><td style="padding:10px">Bob</td><td width=100><button id=b>Edit Bob</button></td></table>`,
      act: [['over', 'r2', { at: [0.1, 0.5] }], ['click', 'b']],
      expect: [{ action: 'hover', role: 'row' }, { action: 'click', name: 'Edit Bob' }],
    },
    {
      name: 'menu inserted on hover',
      page: `<button id=m>Account</button><div id=box></div><script>m.onmouseover=()=>{box.innerHTML='<button id=it>Sign out</button>'}</script>`,
      act: [['over', 'm'], ['click', 'it']],
      expect: [{ action: 'hover', role: 'button', name: 'Account' }, { action: 'click', role: 'button', name: 'Sign out' }],
    },
    {
      name: 'tooltip that nothing depends on (no step)',
      page: `<button id=m onmouseenter="tip.hidden=false" onmouseleave="tip.hidden=true">Help</button><span id=tip hidden>Explains</span><p><button id=b>Next</button>`,
      act: [['over', 'm'], ['click', 'b']],
      expect: [{ action: 'click', name: 'Next' }],
    },
    {
      name: 'menu opened on hover and clicked all the same: the click alone tells',
      page: `<button id=m onclick="sub.hidden=false">More</button><div id=sub hidden><button id=it>Print</button></div>`,
      act: [['over', 'm'], ['click', 'm'], ['click', 'it']],
      expect: [{ action: 'click', name: 'More' }, { action: 'click', name: 'Print' }],
    },
  ],
};
