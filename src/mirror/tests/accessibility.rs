//! Roles and names, case by case, after HTML-AAM and the accname specification.

use super::page::page;
use crate::wire::op::Op;

/// What `:t` is, and its role.
const ROLES: &[(&str, &str)] = &[
    ("<a href=/x :t>x</a>", "link"),
    ("<a :t>x</a>", "generic"),
    ("<area href=/x :t>", "link"),
    ("<article :t></article>", "article"),
    ("<aside :t></aside>", "complementary"),
    ("<section><aside :t></aside></section>", "generic"),
    ("<section><aside aria-label=Ads :t></aside></section>", "complementary"),
    ("<main><aside :t></aside></main>", "complementary"),
    ("<button :t>x</button>", "button"),
    ("<details :t></details>", "group"),
    ("<dialog open :t></dialog>", "dialog"),
    ("<fieldset :t></fieldset>", "group"),
    ("<footer :t></footer>", "contentinfo"),
    ("<article><footer :t></footer></article>", "generic"),
    ("<header :t></header>", "banner"),
    ("<main><header :t></header></main>", "generic"),
    ("<div role=region aria-label=a><header :t></header></div>", "generic"),
    ("<form :t></form>", "generic"),
    ("<form aria-label=Order :t></form>", "form"),
    ("<h3 :t>x</h3>", "heading"),
    ("<hr :t>", "separator"),
    ("<img :t>", "img"),
    ("<img alt='' :t>", "none"),
    ("<img alt=' ' :t>", "img"),
    ("<img alt='' title=Logo :t>", "img"),
    ("<img alt='' tabindex=0 :t>", "img"),
    ("<input :t>", "textbox"),
    ("<input type=nonsense :t>", "textbox"),
    ("<input type=CHECKBOX :t>", "checkbox"),
    ("<input type=checkbox switch :t>", "checkbox"),
    ("<input type=radio :t>", "radio"),
    ("<input type=number :t>", "spinbutton"),
    ("<input type=range :t>", "slider"),
    ("<input type=search :t>", "searchbox"),
    ("<input type=submit :t>", "button"),
    ("<input type=image :t>", "button"),
    ("<input type=file :t>", "button"),
    ("<input type=password :t>", "textbox"),
    ("<input type=date :t>", "textbox"),
    ("<input list=l :t><datalist id=l></datalist>", "combobox"),
    ("<input list=nowhere :t>", "textbox"),
    ("<ul><li :t></li></ul>", "listitem"),
    ("<div><li :t></li></div>", "generic"),
    ("<ul role=none><li :t></li></ul>", "none"),
    ("<ul role=presentation><li role=option :t></li></ul>", "option"),
    ("<nav :t></nav>", "navigation"),
    ("<section :t></section>", "generic"),
    ("<section aria-labelledby=h :t><h2 id=h>Orders</h2></section>", "region"),
    ("<section aria-labelledby=nowhere :t></section>", "generic"),
    ("<div role=region :t></div>", "generic"),
    ("<select :t></select>", "combobox"),
    ("<select size=4 :t></select>", "listbox"),
    ("<select size=1 :t></select>", "combobox"),
    ("<select multiple :t></select>", "listbox"),
    ("<select><option :t></option></select>", "option"),
    ("<table><tr><td :t></td></tr></table>", "cell"),
    ("<table role=grid><tr><td :t></td></tr></table>", "gridcell"),
    ("<table role=none><tr><td :t></td></tr></table>", "none"),
    ("<table><tr><th scope=row :t></th><td></td></tr></table>", "rowheader"),
    ("<table><tr><th scope=col :t></th><td></td></tr></table>", "columnheader"),
    ("<table><thead><tr><th :t></th></tr></thead></table>", "columnheader"),
    ("<table><tr><th :t></th><td></td></tr></table>", "rowheader"),
    ("<table><tbody :t></tbody></table>", "rowgroup"),
    ("<textarea :t></textarea>", "textbox"),
    ("<output :t></output>", "status"),
    ("<svg :t></svg>", "img"),
    ("<svg><a href=/x :t></a></svg>", "link"),
    ("<math :t></math>", "math"),
    ("<div role=tab :t></div>", "tab"),
    ("<div role='nonsense TAB button' :t></div>", "tab"),
    ("<div role='nonsense' :t></div>", "generic"),
    ("<div role=widget :t></div>", "generic"),
    ("<h1 role=none :t>x</h1>", "none"),
    ("<button role=none :t>x</button>", "button"),
    ("<h1 role=none aria-label=x :t>x</h1>", "heading"),
    ("<div role=image :t></div>", "img"),
    ("<span :t></span>", "generic"),
    ("<p :t></p>", "paragraph"),
    ("<strong :t></strong>", "strong"),
    ("<summary :t></summary>", "generic"),
];

#[test]
fn roles() {
    let mut wrong = Vec::new();
    for (html, role) in ROLES {
        let page = page(html);
        let got = page.mirror.role(page.the());
        if got != *role {
            wrong.push(format!("{html}: {got}, not {role}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What `:t` is, and its name.
const NAMES: &[(&str, &str)] = &[
    // 2B
    ("<b id=a>Bill</b><b id=c>to</b><input aria-labelledby='a c' :t>", "Bill to"),
    ("<b id=a hidden>Bill</b><input aria-labelledby=a :t>", "Bill"),
    ("<div id=a hidden>Bill <i style='display:none'>it</i></div><input aria-labelledby=a :t>", "Bill it"),
    ("<div id=a>Bill <i hidden>not</i></div><input aria-labelledby=a :t>", "Bill"),
    ("<input aria-labelledby=nowhere aria-label=Bill :t>", "Bill"),
    ("<b id=a aria-labelledby=c>A</b><b id=c>C</b><input aria-labelledby=a :t>", "A"),
    (
        "<button id=del aria-label=Delete aria-labelledby='del file' :t></button><a id=file href=x>Report.pdf</a>",
        "Delete Report.pdf",
    ),
    ("<b id=a></b><button aria-labelledby=a :t>Save</button>", "Save"),
    // 2C
    ("<label>Flash <input size=3 value=3 :value=5> times<input type=checkbox :t></label>", ""),
    ("<input type=checkbox id=c :t><label for=c>Flash <input :value=5> times</label>", "Flash 5 times"),
    (
        "<input type=checkbox id=c :t><label for=c>Every <select><option>1</option><option :selected=1>2</option></select> days</label>",
        "Every 2 days",
    ),
    ("<input type=checkbox id=c :t><label for=c>At <span role=slider aria-valuenow=7></span> km</label>", "At 7 km"),
    (
        "<input type=checkbox id=c :t><label for=c>At <span role=slider aria-valuenow=7 aria-valuetext=seven></span></label>",
        "At seven",
    ),
    ("<div role=button :t>Play <input type=range value=40> now</div>", "Play 40 now"),
    // 2D
    ("<button aria-label=Close :t>X</button>", "Close"),
    ("<button aria-label='  ' :t>X</button>", "X"),
    ("<div aria-label=Nothing :t>text</div>", ""),
    ("<nav aria-label=Main :t><a href=x>x</a></nav>", "Main"),
    // 2E: labels
    ("<label for=i>Name</label><input id=i :t>", "Name"),
    ("<label>Name <input :t></label>", "Name"),
    ("<label>Name <input :t> of buyer</label>", "Name of buyer"),
    ("<label for=i>First</label><label for=i>second</label><input id=i :t>", "First second"),
    ("<label for=i hidden>Name</label><input id=i :t>", "Name"),
    ("<label for=i>Name <b style='display:none'>x</b></label><input id=i :t>", "Name"),
    ("<label>Country <select :t><option>Fr</option></select></label>", "Country"),
    ("<label for=i>Go</label><button id=i :t>no</button>", "Go"),
    ("<label>Notes <textarea :t>old</textarea></label>", "Notes"),
    ("<label>Done <progress :t></progress></label>", "Done"),
    ("<label for=i><div>Two</div><div>lines</div></label><input id=i :t>", "Two lines"),
    // 2E: others
    ("<input type=submit :t>", "Submit"),
    ("<input type=reset :t>", "Reset"),
    ("<input type=button value=Go :t>", "Go"),
    ("<input type=button :t>", ""),
    ("<input type=submit value=Pay title=t :t>", "Pay"),
    ("<input type=image alt=Find :t>", "Find"),
    ("<input type=image title=Find :t>", "Find"),
    ("<input placeholder=Search title=Find :t>", "Find"),
    ("<input placeholder=Search :t>", "Search"),
    ("<textarea placeholder=Say :t></textarea>", "Say"),
    ("<fieldset :t><legend>Size</legend><input></fieldset>", "Size"),
    ("<figure :t><img alt=x><figcaption>Sales <b>2026</b></figcaption></figure>", "Sales 2026"),
    ("<table :t><caption>Orders</caption><tr><td>1</td></tr></table>", "Orders"),
    ("<table title=T :t><tr><td>1</td></tr></table>", "T"),
    ("<img alt=Logo title=no :t>", "Logo"),
    ("<img title=Logo :t>", "Logo"),
    ("<select><optgroup label=Fruit :t></optgroup></select>", "Fruit"),
    ("<select><option label=Short :t>Long</option></select>", "Short"),
    ("<svg :t><title>Chart</title><path/></svg>", "Chart"),
    ("<iframe title=Chat :t></iframe>", "Chat"),
    ("<details><summary :t>More <b>here</b></summary>x</details>", "More here"),
    // 2F
    ("<a href=x :t>to <b>the</b> point</a>", "to the point"),
    ("<a href=x :t><img alt=Home></a>", "Home"),
    ("<a href=x :t><img alt=''>Home</a>", "Home"),
    ("<a href=x title=Home :t><img alt=''></a>", "Home"),
    ("<button :t><svg><title>Close</title></svg></button>", "Close"),
    ("<button :t>a<span>b</span>c</button>", "abc"),
    ("<button :t>a<div>b</div>c</button>", "a b c"),
    ("<button :t>a<br>b</button>", "a b"),
    ("<button :t>Save<span hidden> now</span></button>", "Save"),
    ("<button :t>Save<span aria-hidden=true> x</span></button>", "Save"),
    ("<button :t>Save<span style='visibility: hidden'> x</span></button>", "Save"),
    ("<button :t>Save<script>x()</script></button>", "Save"),
    ("<button :t>Save<i :box='0 0 0 0 0'>x</i></button>", "Save"),
    ("<button :t :box='0 0 9 9 1'><x-w :box='0 0 0 0 0'>a <b :box='0 0 9 9 1'>b</b></x-w></button>", "a b"),
    ("<button :t>a<span :box='0 0 9 9 17'>b</span>c</button>", "a b c"),
    ("<button :t>  a \n  b&nbsp;c </button>", "a b c"),
    ("<h2 :t>Orders <small>(3)</small></h2>", "Orders (3)"),
    ("<table><tr :t><td>Ann</td><td>30</td></tr></table>", "Ann 30"),
    ("<div role=checkbox :t>Agree</div>", "Agree"),
    ("<div role=textbox contenteditable :t>written</div>", ""),
    ("<p :t>A paragraph</p>", ""),
    ("<div :t>text</div>", ""),
    ("<ul><li :t>One</li></ul>", ""),
    ("<button :t>a <b role=presentation>b</b></button>", "a b"),
    ("<div role=button aria-owns=o :t>a </div><i id=o>b</i>", "a b"),
    // What browsers do where the specifications leave it open, or say it in other places.
    ("<button aria-labelledby=s :t>x</button><script id=s>y</script>", "x"),
    ("<button :t>a<img alt=b>c</button>", "a b c"),
    ("<button :t>a<span :box='0 0 9 9 33'>b</span>c</button>", "a b c"),
    ("<button :t><ruby>K<rt>kan</rt></ruby></button>", "K"),
    ("<button :t>Play<video>old browser</video></button>", "Play"),
    ("<ul role=tree><li role=treeitem :t>Root<ul role=group><li role=treeitem>Leaf</li></ul></li></ul>", "Root"),
    ("<div role=menuitem :t>More <div role=menu><div role=menuitem>Sub</div></div></div>", "More"),
    ("<details><summary>x</summary><summary :t>two</summary></details>", ""),
    ("<summary :t>stray</summary>", ""),
    ("<input type=submit value='' :t>", ""),
    ("<input type=submit title=no :t>", "Submit"),
    ("<input type=file title=no :t>", "Choose File"),
    ("<input type=file multiple :t>", "Choose Files"),
    // 2C: what is referred to says its value, too, and its name while it has none.
    ("<b id=l>Field</b><input id=i value=v aria-labelledby='l i' :t>", "Field v"),
    (
        "<select id=s><option>a</option><option :selected=1>b</option></select><button aria-labelledby=s :t>x</button>",
        "b",
    ),
    ("<input id=i aria-label=Its><button aria-labelledby=i :t>x</button>", "Its"),
    ("<input type=password id=p value=hunter2><button aria-labelledby=p :t>x</button>", "••••••••"),
    ("<div role=button :t>a <input title=b> c</div>", "a b c"),
    ("<input type=checkbox id=c :t><label for=c>Is <span role=combobox>it</span></label>", "Is it"),
    ("<button :t>At <meter value=.3></meter></button>", "At 0.3"),
    // Without an area, but there.
    ("<button :t :box='9 9 9 9 1'>a <b :box='9 9 0 9 0'>b</b></button>", "a b"),
    ("<button :t :box='9 9 9 9 1'>a <b :box='9 9 5 9 0'>b</b></button>", "a"),
    ("<button inert :t>a <b>b</b></button>", "a b"),
    // 2I
    ("<button title=Close :t></button>", "Close"),
    ("<div role=group title=Tools :t></div>", "Tools"),
    ("<span title=hint :t>x</span>", ""),
    // Shadow trees
    ("<x-b role=button :t><template shadowrootmode=open>[<slot></slot>]</template>Save</x-b>", "[ Save ]"),
    ("<x-b role=button :t><template shadowrootmode=closed><slot name=l>none</slot></template>no</x-b>", "none"),
    (
        "<x-b role=button :t><template shadowrootmode=open><slot name=l>n</slot></template><b slot=l>yes</b></x-b>",
        "yes",
    ),
    (
        "<x-f><template shadowrootmode=open><label for=i>In</label><input id=i :t></template></x-f><label for=i>Out</label>",
        "In",
    ),
    ("<b id=a>Out</b><x-f><template shadowrootmode=open><input aria-labelledby=a title=T :t></template></x-f>", "T"),
];

#[test]
fn names() {
    let mut wrong = Vec::new();
    for (html, name) in NAMES {
        let page = page(html);
        let Some(node) = page.marks.get("").copied() else { panic!("{html} marks nothing") };
        let got = page.mirror.name(node);
        if got != *name {
            wrong.push(format!("{html}: {got:?}, not {name:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn who_is_in_the_accessibility_tree() {
    let html = "<main :t=main><button :t=shown>a</button><button :t=flat :box='5 5 0 9 0'>b</button>\
         <button :t=veiled :box='5 5 9 9 0'>c</button><button :t=none :box='0 0 0 0 0'>d</button>\
         <div inert><button :t=inert>e</button></div><div aria-hidden=true><button :t=aria>f</button></div>\
         <map><area href=x :t=area :box='0 0 0 0 0'></map></main><dialog open :t=dialog><button :t=inside>g</button></dialog>";
    let mut page = page(html);
    let there = |page: &super::page::Page| -> Vec<String> {
        let called = page.mirror.called(page.doc);
        let of = |name: &str| {
            let path = page.mirror.target(page.node(name)).dom_path;
            called.iter().any(|c| c.path == path && c.accessible)
        };
        let all = ["shown", "flat", "veiled", "none", "inert", "aria", "area", "inside"];
        all.iter().filter(|name| of(name)).map(|name| (*name).to_owned()).collect()
    };
    assert_eq!(there(&page), ["shown", "flat", "area", "inside"]);
    let id = page.node("dialog").node;
    page.apply(page.doc, Op::State { id, what: crate::wire::op::state::TOP_LAYER, value: 1 });
    assert_eq!(there(&page), ["inside"], "the rest is behind the dialog");
    assert_eq!(page.mirror.name(page.node("shown")), "a", "and keeps its name");
    page.apply(page.doc, Op::Attribute { id, name: "open", value: None });
    assert_eq!(there(&page), ["shown", "flat", "area"]);
}

#[test]
fn a_label_activates_its_control() {
    let page = page(
        "<label :t=l>Agree <b :t=text>now</b> <a href=x><i :t=link>terms</i></a><input type=checkbox :t=box></label>\
         <label for=n :t=far>Name</label><input id=n :t=name><label :t=empty>x</label>",
    );
    let m = &page.mirror;
    let at = |name: &str| page.node(name);
    assert_eq!(m.labelled_control(at("text")), Some(at("box")));
    assert_eq!(m.labelled_control(at("l")), Some(at("box")));
    assert_eq!(m.labelled_control(at("link")), None, "a link keeps its clicks");
    assert_eq!(m.labelled_control(at("far")), Some(at("name")));
    assert_eq!(m.labelled_control(at("empty")), None);
    assert_eq!(m.labelled_control(at("box")), None);
    assert_eq!(m.interactive(at("text")), at("l"));
}

#[test]
fn what_a_person_means() {
    let page = page(
        "<button :t=b><svg :t=s><path :t=p></path></svg></button><div :t=d><em :t=e>x</em></div>\
         <li :t=li :box='0 0 9 9 7'><em :t=in :box='0 0 9 9 7'>x</em></li><div><svg :t=alone><g><path :t=stroke></path></g></svg></div>\
         <div role=tab :t=tab><i :t=i>x</i></div><details><summary :t=sum><b :t=sb>x</b></summary></details>\
         <x-y><template shadowrootmode=open><button :t=sh><slot></slot></button></template><i :t=slotted>x</i></x-y>\
         <ul tabindex=0><li :box='0 0 9 9 7'><div tabindex=-1 :t=item :box='0 0 9 9 7'><b :t=word :box='0 0 9 9 7'>x</b></div></li></ul>\
         <ul tabindex=0><li :t=plain>x</li></ul><main tabindex=-1><p :t=para>x</p></main>\
         <div :box='0 0 9 9 7'><span :t=reply :box='0 0 9 9 7'>a</span><span :box='0 0 9 9 7'>b</span></div>\
         <ul onclick=f()><li :t=row>x</li></ul>\
         <div tabindex=0><p :t=beside>x</p><a href=x>y</a></div><div tabindex=0 :t=card><h3 :t=head>x</h3></div>",
    );
    for (from, to) in [
        ("p", "b"),
        ("b", "b"),
        ("e", "e"),
        ("in", "li"),
        ("stroke", "alone"),
        ("i", "tab"),
        ("sb", "sum"),
        ("slotted", "sh"),
        ("word", "item"),
        ("plain", "plain"),
        ("para", "para"),
        ("beside", "beside"),
        ("head", "card"),
        ("reply", "reply"),
        ("row", "row"),
    ] {
        assert_eq!(page.mirror.interactive(page.node(from)), page.node(to), "{from}");
    }
}

#[test]
fn values_and_checks() {
    let page = page(
        "<input :t=typed value=a :value=b><input :t=set value=a><textarea :t=area>\nlines</textarea>\
         <select :t=first><option disabled>0</option><option value=1>One</option><option>2</option></select>\
         <select :t=chosen><option :t=o1>One</option><option selected>Two</option><option :t=o3>Three</option></select>\
         <select multiple :t=multi><option selected>a</option><option>b</option><option selected>c</option></select>\
         <input type=checkbox checked :t=on><input type=checkbox checked :checked=0 :t=off><div role=switch aria-checked=true :t=switch>x</div>\
         <div role=checkbox aria-checked=mixed :t=mixed>x</div><b :t=none></b>\
         <input type=radio name=r :t=r1 checked><input type=radio name=r :t=r2><form><input type=radio name=r checked :t=r3></form>\
         <input type=password :t=pw :secret=••••••••><input type=password :t=pw2 value=hunter2>",
    );
    let value = |name: &str| page.mirror.value(page.node(name));
    for (name, wanted) in [
        ("typed", "b"),
        ("set", "a"),
        ("area", "lines"),
        ("first", "One"),
        ("chosen", "Two"),
        ("multi", "a, c"),
        ("on", "on"),
        ("pw", "••••••••"),
        ("pw2", "••••••••"),
    ] {
        assert_eq!(value(name), wanted, "{name}");
    }
    assert!(page.mirror.is_secret(page.node("pw")) && !page.mirror.is_secret(page.node("typed")));
    let checked = |name: &str| page.mirror.checked(page.node(name));
    for (name, wanted) in
        [("on", Some(true)), ("off", Some(false)), ("switch", Some(true)), ("mixed", Some(false)), ("none", None)]
    {
        assert_eq!(checked(name), wanted, "{name}");
    }
    // One choice takes from the others, in its own form only.
    let (r1, r2, r3, o3, doc) = (page.node("r1"), page.node("r2"), page.node("r3"), page.node("o3"), page.doc);
    let chosen = page.node("chosen");
    let mut page = page;
    page.apply(doc, Op::Checked { id: r2.node, state: 1 });
    page.apply(doc, Op::Selected { id: o3.node, selected: true });
    let m = &page.mirror;
    assert_eq!((m.checked(r1), m.checked(r2), m.checked(r3)), (Some(false), Some(true), Some(true)));
    assert_eq!(m.value(chosen), "Three");
}

/// What `:t` is, and whether it is shown. Box flags: 1 visible, 0 not.
const SHOWN: &[(&str, bool)] = &[
    ("<p :t></p>", true),
    ("<p hidden :t></p>", false),
    ("<div hidden><p :t></p></div>", false),
    ("<p hidden style='display: block' :t></p>", true),
    ("<p style='color:red;DISPLAY : None !important' :t></p>", false),
    ("<div style='visibility:hidden'><p :t></p></div>", false),
    ("<div style='visibility:hidden'><p style='visibility:visible' :t></p></div>", true),
    ("<div style='display:none'><p style='visibility:visible' :t></p></div>", false),
    ("<p :t :box='0 0 0 0 0'></p>", false),
    ("<p hidden :t :box='0 0 9 9 1'></p>", true),
    ("<div :box='0 0 0 0 0'><p :t></p></div>", false),
    ("<div :box='0 0 0 0 0'><p :t :box='0 0 9 9 1'></p></div>", true),
    ("<ul :t :box='0 0 0 0 0'>text <li :box='0 0 9 9 1'></li></ul>", true),
    ("<div hidden :t :box='0 0 0 0 0'><p :box='0 0 0 0 0'>x</p></div>", false),
    ("<div style='display:contents' :box='0 0 0 0 0'><p :t></p></div>", true),
    ("<details><summary :t></summary></details>", true),
    ("<details><summary></summary><p :t></p></details>", false),
    ("<details open><summary></summary><p :t></p></details>", true),
    ("<dialog :t></dialog>", false),
    ("<dialog open :t></dialog>", true),
    ("<div popover :t></div>", false),
    ("<input type=hidden :t>", false),
    ("<head><title :t>x</title></head>", false),
    ("<select><option :t :box='0 0 0 0 0'>x</option></select>", true),
    ("<select hidden><option :t>x</option></select>", false),
    ("<x-y><template shadowrootmode=open><slot></slot></template><p :t></p></x-y>", true),
    ("<x-y><template shadowrootmode=open></template><p :t></p></x-y>", false),
    ("<x-y><template shadowrootmode=open><div hidden><slot></slot></div></template><p :t></p></x-y>", false),
    ("<div aria-hidden=true><p :t></p></div>", true),
];

#[test]
fn what_is_shown() {
    for (html, shown) in SHOWN {
        let page = page(html);
        assert_eq!(page.mirror.visible(page.the()), *shown, "{html}");
    }
}

#[test]
fn what_was_measured_holds_until_style_may_have_changed() {
    let mut page = page(
        "<div :t=a :box='0 0 0 0 0'><p :t=b :box='0 0 0 0 0'>x</p></div><p :t=error :box='0 0 0 0 0'></p>\
         <div :t=c><p :t=d :box='0 0 9 9 1'>x</p></div>",
    );
    let (doc, a, b, c, d, error) =
        (page.doc, page.node("a"), page.node("b"), page.node("c"), page.node("d"), page.node("error"));
    page.apply(doc, Op::Attribute { id: a.node, name: "data-x", value: Some("y") });
    assert!(!page.mirror.visible(b));
    page.apply(doc, Op::Attribute { id: a.node, name: "class", value: Some("open") });
    assert!(page.mirror.visible(a) && page.mirror.visible(b), "a class may show it");
    page.apply(doc, Op::Box { id: b.node, x: 0, y: 0, width: 0, height: 0, flags: 0 });
    page.apply(doc, Op::Box { id: a.node, x: 0, y: 0, width: 9, height: 9, flags: 1 });
    assert!(page.mirror.visible(a) && !page.mirror.visible(b), "measured again");
    assert!(!page.mirror.visible(error));
    page.apply(doc, Op::Text { id: 800, parent: error.node, previous: 0, text: "Too long" });
    assert!(page.mirror.visible(error), "there is something in it now");
    page.apply(doc, Op::Mark(crate::wire::op::mark::MEASURED));
    assert!(!page.mirror.visible(error), "measured with no other outcome");
    page.apply(doc, Op::Attribute { id: c.node, name: "style", value: Some("visibility: hidden") });
    assert!(!page.mirror.visible(d), "style set since hides what was seen");
    page.apply(doc, Op::Attribute { id: c.node, name: "style", value: Some("display: none") });
    assert!(!page.mirror.visible(d));
    page.apply(doc, Op::Mark(crate::wire::op::mark::MEASURED));
    assert!(page.mirror.visible(d), "a measuring pass has the last word");
}
