// Copy, cut and paste are steps of their own, with what they carried.
export default {
  topic: 'Clipboard',
  cases: [
    {
      name: 'select all, copy, paste elsewhere',
      page: `<input id=a aria-label=From value="carry me"><input id=b aria-label=To>`,
      act: [['click', 'a'], ['press', 'Control+a'], ['press', 'Control+c'], ['click', 'b'], ['press', 'Control+v']], then: ['b.value', 'carry me'],
      expect: [{ action: 'click' }, { action: 'press', key: 'Control+A' }, { action: 'copy', name: 'From' }, { action: 'click' }, { action: 'paste', name: 'To', value: 'carry me' }],
    },
    {
      name: 'cut, and paste into the middle of a text',
      page: `<input id=a aria-label=From value="cut"><input id=b aria-label=To value="[]" style="font:20px monospace">`,
      act: [['click', 'a'], ['press', 'Control+a'], ['press', 'Control+x'], ['click', 'b'], ['press', 'Home'], ['press', 'ArrowRight'], ['press', 'Control+v']], then: ['a.value + b.value', '[cut]'],
      expect: [{ action: 'click' }, { action: 'press', key: 'Control+A' }, { action: 'cut', name: 'From' }, { action: 'click' }, { action: 'paste', name: 'To', value: '[cut]' }],
    },
    {
      name: 'copy of text outside fields',
      page: `<p id=p>Just words</p>`,
      act: [['click', 'p', { count: 3, at: [0.05, 0.5] }], ['press', 'Control+c']],
      expect: [{ action: 'click', count: 3 }, { action: 'copy' }],
    },
    {
      name: 'paste that the page takes for itself',
      page: `<div id=d tabindex=0 role=application aria-label=Canvas onpaste="out.textContent=event.clipboardData.getData('text');event.preventDefault()">C</div><input id=a aria-label=From value="take"><output id=out></output>`,
      act: [['click', 'a'], ['press', 'Control+a'], ['press', 'Control+c'], ['click', 'd'], ['press', 'Control+v']], then: ['out.textContent', 'take'],
      expect: [{ action: 'click' }, { action: 'press' }, { action: 'copy' }, { action: 'click', name: 'Canvas' }, { action: 'paste', name: 'Canvas' }],
    },
    {
      name: 'paste into a password (masked)',
      page: `<input id=a aria-label=From value="sesam-open"><input id=b type=password aria-label=Pass>`,
      act: [['click', 'a'], ['press', 'Control+a'], ['press', 'Control+c'], ['click', 'b'], ['press', 'Control+v']], then: ['b.value', 'sesam-open'],
      expect: [{ action: 'click' }, { action: 'press' }, { action: 'copy' }, { action: 'click' }, { action: 'paste', name: 'Pass', secret: true, value: '••••••••' }],
    },
    {
      name: 'paste, then typing goes on (paste, fill)',
      page: `<input id=a aria-label=From value="ab"><input id=b aria-label=To>`,
      act: [['click', 'a'], ['press', 'Control+a'], ['press', 'Control+c'], ['click', 'b'], ['press', 'Control+v'], ['type', 'c']], then: ['b.value', 'abc'],
      expect: [{ action: 'click' }, { action: 'press' }, { action: 'copy' }, { action: 'click' }, { action: 'paste', value: 'ab' }, { action: 'fill', value: 'abc' }],
    },
  ],
};
