// Copy, cut and paste are steps of their own, with what they carried.
export default {
  topic: 'Clipboard',
  cases: [
    {
      name: 'select all, copy, paste elsewhere',
      page: `<input id=a aria-label=From value="carry me"><input id=b aria-label=To>`,
      act: [['click', 'a'], ['press', 'Control+a'], ['press', 'Control+c'], ['click', 'b'], ['press', 'Control+v']], then: ['b.value', 'carry me'],
      expect: [{ action: 'click' }, { action: 'press', key: 'Control+A' }, { action: 'copy', name: 'From', payload: p => p.text === 'carry me' && p.length === 8 && p.types.includes('text/plain') }, { action: 'click' }, { action: 'paste', name: 'To', value: 'carry me', payload: p => p.text === 'carry me' && p.types.includes('text/plain') }],
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
      name: 'copy from a masked region (class and hash, not the text)',
      page: `<p id=p data-tracerule-mask>sesame street 42</p>`,
      act: [['click', 'p', { count: 3, at: [0.05, 0.5] }], ['press', 'Control+c'], ['wait', 900]],
      expect: [{ action: 'click', count: 3 }, { action: 'copy', secret: true, payload: p => p.text === '••••••••' && p.length >= 16, secret_value: v => /^[0-9a-f]+$/.test(v?.hash ?? '') && v.class === 'masked' }],
    },
    {
      name: 'paste into a password (masked)',
      page: `<input id=a aria-label=From value="sesam-open"><input id=b type=password aria-label=Pass>`,
      act: [['click', 'a'], ['press', 'Control+a'], ['press', 'Control+c'], ['click', 'b'], ['press', 'Control+v']], then: ['b.value', 'sesam-open'],
      expect: [{ action: 'click' }, { action: 'press' }, { action: 'copy' }, { action: 'click' }, { action: 'paste', name: 'Pass', secret: true, value: '••••••••', payload: p => p.text === '••••••••' && p.length === 10, secret_value: v => /^[0-9a-f]+$/.test(v?.hash ?? '') && v.class === 'password' }],
      rest: 900,
    },
    {
      name: 'paste, then typing goes on (paste, fill)',
      page: `<input id=a aria-label=From value="ab"><input id=b aria-label=To>`,
      act: [['click', 'a'], ['press', 'Control+a'], ['press', 'Control+c'], ['click', 'b'], ['press', 'Control+v'], ['type', 'c']], then: ['b.value', 'abc'],
      expect: [{ action: 'click' }, { action: 'press' }, { action: 'copy' }, { action: 'click' }, { action: 'paste', value: 'ab' }, { action: 'fill', value: 'abc' }],
    },
  ],
};
