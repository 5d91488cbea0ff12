//! Locators: what is offered, what it matches, what is refused.

use super::page::{Page, TAB, page};
use crate::trace::{
    Assertion, AssertionKind, FailureCode, Locator, LocatorKind, Target,
    Volatility::{self, Generated, Number, Position},
};
use crate::wire::op::Op;

/// What `:t` is offered: each value with its count, best first; `!` marks volatile ones.
const OFFERED: &[(&str, &[&str])] = &[
    (
        "<button data-testid=save id=save :t>Save</button><button>Save</button>",
        &[
            "testid=save 1",
            "css=#save 1",
            "css=button:nth-of-type(1) 1 !",
            "path=/button[1] 1 !",
            "role=button[name=\"Save\"] 2",
            "text=\"Save\" 2",
        ],
    ),
    (
        "<label>Name <input name=who placeholder='Your name' :t></label>",
        &[
            "role=textbox[name=\"Name\"] 1",
            "label=\"Name\" 1",
            "placeholder=\"Your name\" 1",
            "css=input[name=\"who\"] 1",
            "css=input 1",
            "path=/label[1]/input[1] 1 !",
        ],
    ),
    (
        "<ul><li><a href=/o/17 :t>Order 17</a></li><li><a href=/o/18>Order 18</a></li></ul>",
        &[
            "role=link[name=\"Order 17\"] 1 !",
            "text=\"Order 17\" 1 !",
            "css=a[href=\"/o/17\"] 1 !",
            "css=li:nth-of-type(1) > a 1 !",
            "path=/ul[1]/li[1]/a[1] 1 !",
        ],
    ),
    // What the application calls its things lasts, and tells children apart too; states and numbers do not.
    (
        "<div><i class=kind data-kind=inject data-state=open data-row=7 :t>x</i><i class=kind data-kind=debug>x</i></div>",
        &[
            "css=i[data-kind=\"inject\"] 1",
            "css=i.kind[data-kind=\"inject\"] 1",
            "path=/div[1]/i[1] 1 !",
            "text=\"x\" 2",
        ],
    ),
    (
        "<p class=kind data-kind=inject><b :t>x</b></p><p class=kind data-kind=debug><b>x</b></p>",
        &["css=p.kind[data-kind=\"inject\"] > b 1", "path=/p[1]/b[1] 1 !", "text=\"x\" 2"],
    ),
    // What is hidden does not count for roles and texts.
    (
        "<button :t>Go</button><div hidden><button>Go</button></div>",
        &["role=button[name=\"Go\"] 1", "text=\"Go\" 1", "path=/button[1] 1 !", "css=button 2"],
    ),
    // Shadow trees are pierced.
    (
        "<x-y><template shadowrootmode=open><button class=ok :t>Go</button></template></x-y><p><i class=ok></i></p>",
        &["role=button[name=\"Go\"] 1", "text=\"Go\" 1", "css=button.ok 1", "path=/x-y[1]/#shadow/button[1] 1 !"],
    ),
    // Machine-made names are told and not built upon.
    (
        "<div id=ember341 class='css-1q2w3e box' :t>x</div><div class=box>x</div>",
        &["css=#ember341 1 !", "css=div.box:nth-of-type(1) 1 !", "path=/div[1] 1 !", "text=\"x\" 2"],
    ),
    (
        "<section id=list><p class=row>a</p><p class='row is-active' :t>b</p></section>",
        &["text=\"b\" 1", "css=p.row:nth-of-type(2) 1 !", "path=/section[1]/p[2] 1 !", "role=paragraph 2"],
    ),
    (
        "<input type=submit value=Send :t><input type=text value=Send>",
        &[
            "role=button[name=\"Send\"] 1",
            "text=\"Send\" 1",
            "css=input[type=\"submit\"][value=\"Send\"] 1",
            "css=input:nth-of-type(1) 1 !",
            "path=/input[1] 1 !",
        ],
    ),
    (
        "<iframe name=pay title='Pay here' src=x :t></iframe>",
        &["css=iframe[name=\"pay\"] 1", "css=iframe[title=\"Pay here\"] 1", "css=iframe 1", "path=/iframe[1] 1 !"],
    ),
];

fn told(locators: &[Locator]) -> Vec<String> {
    let one = |l: &Locator| format!("{} {}{}", l.value, l.matches, if l.volatile.is_empty() { "" } else { " !" });
    locators.iter().map(one).collect()
}

#[test]
fn candidates() {
    let mut wrong = Vec::new();
    for (html, wanted) in OFFERED {
        let page = page(html);
        let got = told(&page.mirror.locators(page.the()));
        if got != *wanted {
            wrong.push(format!("{html}:\n  {}\nnot\n  {}", got.join("\n  "), wanted.join("\n  ")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_candidate_finds_its_element_again() {
    for (html, _) in OFFERED {
        let page = page(html);
        for locator in page.mirror.locators(page.the()) {
            let found = page.mirror.resolve(TAB, &locator.value);
            match locator.matches {
                1 => assert_eq!(found.ok(), Some(page.the()), "{}", locator.value),
                _ => assert_eq!(found.map_err(|e| e.code), Err(FailureCode::Ambiguous), "{}", locator.value),
            }
        }
    }
}

#[test]
fn volatility() {
    let cases: &[(&str, &[Volatility])] = &[
        ("save", &[]),
        ("order-form", &[]),
        ("orderForm", &[]),
        ("row-3", &[Number]),
        ("ember341", &[Generated, Number]),
        (":r1:", &[Generated, Number]),
        ("«r1»", &[Generated, Number]),
        ("radix-:r3:-trigger", &[Generated, Number]),
        ("css-1q2w3e", &[Generated, Number]),
        ("sc-bdVaJa", &[Generated]),
        ("3f2504e0-4f89-11d3-9a0c-0305e82c3301", &[Generated, Number]),
        ("Button_root__x7Gh2", &[Generated, Number]),
        ("utf8", &[Number]),
        ("address2", &[Number]),
        ("mui-1234", &[Generated, Number]),
        ("iPhone", &[]),
        ("getElementById", &[]),
    ];
    for (id, wanted) in cases {
        let page = page(&format!("<b id='{id}' :t></b>"));
        let locators = page.mirror.locators(page.the());
        let got = locators.iter().find(|l| l.kind == LocatorKind::Attribute).map(|l| l.volatile.as_slice());
        assert_eq!(got, Some(*wanted), "{id}");
    }
}

/// A page to look for things in.
const SHOP: &str = "<html><body><h1>Shop</h1><form id=f><label>Coupon <input name=c></label>\
     <button type=submit class='b main'>Pay</button><button class=b disabled>Cancel</button>\
     <div style='display:none'><button>Pay</button></div></form>\
     <x-menu><template shadowrootmode=closed><ul><li><button class=b>Edit</button></li><li><button class=b>Copy</button></li></ul></template></x-menu>\
     <p>Total <b>12</b> EUR</p><p>Total</p><input type=checkbox checked><a href=/t>Terms &amp; more</a>\
     <div role=status title='it &quot;works&quot;'>ok</div></body></html>";

/// Targets and how many elements they match; 1 is resolved.
const TARGETS: &[(&str, usize)] = &[
    ("role=button[name=\"Pay\"]", 1),
    ("role=button", 4),
    ("role=BUTTON[name='Edit']", 1),
    ("role=button[name=\"pay\"]", 0),
    ("role=heading[name=\"Shop\"]", 1),
    ("label=Coupon", 1),
    ("label=\"Coupon\"", 1),
    ("text=Total 12 EUR", 1),
    ("text=\"Total\"", 1),
    ("text=Terms & more", 1),
    ("text=Nothing", 0),
    ("css=.b", 4),
    (".b.main", 1),
    ("#f > button:disabled", 1),
    ("x-menu .b", 2),
    ("x-menu > ul > li:first-child > button", 1),
    ("form .b:not(.main)", 1),
    ("button:visible", 4),
    ("button", 5),
    ("input:checked", 1),
    ("p:has(b)", 1),
    ("h1, p", 3),
    ("[title='it \"works\"']", 1),
    ("a:link", 1),
    ("li:nth-child(2) button", 1),
    ("path=/html[1]/body[1]/x-menu[1]/#shadow/ul[1]/li[2]/button[1]", 1),
    ("path=/html/body/p[3]", 0),
    ("id=f", 1),
    ("INPUT[name=c]", 1),
];

#[test]
fn resolving() {
    let page = page(SHOP);
    for (target, n) in TARGETS {
        let got = page.mirror.resolve(TAB, target);
        let code = got.as_ref().err().map(|e| e.code);
        let wanted = match n {
            0 => Some(FailureCode::NotFound),
            1 => None,
            _ => Some(FailureCode::Ambiguous),
        };
        assert_eq!(code, wanted, "{target}: {got:?}");
        if *n > 1 {
            let message = got.unwrap_err().message;
            assert!(message.contains(&format!("matches {n} elements")), "{message}");
        }
    }
    let message = |target: &str| page.mirror.resolve(TAB, target).unwrap_err().message;
    assert_eq!(
        message("x-menu .b"),
        "CSS selector with x-menu .b matches 2 elements (button \"Edit\", button \"Copy\"); use a ref of the snapshot or a narrower locator"
    );
}

/// A list in which each row has the same buttons.
const ROWS: &str = "<main><h2>People</h2><table><tr><td>Ann 7</td><td>Ann</td><td><button :t=ann>Edit</button></td></tr>\
     <tr><td>Bob</td><td><button :t=bob>Edit</button> <input type=checkbox :t=box></td></tr></table>\
     <h2>Pets</h2><ul><li>Rex <button :t=rex>Edit</button></li><li><b>Tom</b> <button :t=tom>Edit</button></li></ul>\
     <fieldset><legend>Owner, \"in\" person</legend><button :t=own>Edit</button></fieldset></main>";

#[test]
fn neighbours() {
    let page = page(ROWS);
    let cases: &[(&str, Result<&str, FailureCode>)] = &[
        ("relative=button[name=\"Edit\"] in row[has=\"Ann\"]", Ok("ann")),
        ("relative=button in row[has=\"Bob\"]", Ok("bob")),
        ("relative=checkbox in row[has=\"Bob\"]", Ok("box")),
        ("relative=button in row[has=\"Edit\"]", Err(FailureCode::NotFound)),
        ("relative=button in listitem[has=\"Tom\"]", Ok("tom")),
        ("relative=button[name=\"Edit\"] in group[name=\"Owner, \\\"in\\\" person\"]", Ok("own")),
        ("relative=button under \"People\"", Err(FailureCode::Ambiguous)),
        ("relative=checkbox under \"People\"", Ok("box")),
        ("relative=checkbox under \"Pets\"", Err(FailureCode::NotFound)),
        ("relative=button", Err(FailureCode::BadValue)),
        ("relative=button in row", Err(FailureCode::BadValue)),
        ("relative=button in row[id=\"x\"]", Err(FailureCode::BadValue)),
        ("relative=later kinds", Err(FailureCode::BadValue)),
    ];
    for (locator, wanted) in cases {
        let got = page.mirror.resolve(TAB, locator).map_err(|e| e.code);
        assert_eq!(got, wanted.map(|name| page.node(name)), "{locator}");
    }
    let offered = |name: &str| {
        let all = page.mirror.locators(page.node(name)).into_iter();
        all.filter(|l| l.kind == LocatorKind::Relative && l.matches == 1).map(|l| l.value).collect::<Vec<_>>()
    };
    assert_eq!(offered("ann"), ["relative=button[name=\"Edit\"] in row[has=\"Ann\"]"], "words before numbers");
    assert_eq!(offered("tom"), ["relative=button[name=\"Edit\"] in listitem[has=\"Tom\"]"]);
    assert_eq!(offered("own"), ["relative=button[name=\"Edit\"] in group[name=\"Owner, \\\"in\\\" person\"]"]);
    // A row's text outlives the place in the table.
    let best = page.mirror.locators(page.node("bob")).remove(0);
    assert_eq!(best.value, "relative=button[name=\"Edit\"] in row[has=\"Bob\"]");
}

#[test]
fn words_that_change() {
    let mut page =
        page("<button :t=b>Follow</button><button :t=same>Save</button><button :t=title title=Off>x</button>");
    let flagged = |page: &Page, name: &str| {
        let all = page.mirror.locators(page.node(name));
        all.iter().any(|l| l.kind == LocatorKind::Role && l.volatile.contains(&Volatility::Changing))
    };
    let doc = page.doc;
    assert!(!flagged(&page, "b"));
    let (button, same, title) = (page.node("b").node, page.node("same").node, page.node("title").node);
    page.apply(doc, Op::Data { id: button + 1, text: "Unfollow" });
    assert!(flagged(&page, "b"));
    page.apply(doc, Op::Data { id: button + 1, text: "Follow" });
    assert!(flagged(&page, "b"), "what changed once may again");
    page.apply(doc, Op::Remove { id: same + 1 });
    page.apply(doc, Op::Text { id: 90, parent: same, previous: 0, text: "Save" });
    assert!(!flagged(&page, "same"), "drawn again with the same words");
    page.apply(doc, Op::Attribute { id: title, name: "title", value: Some("On") });
    assert!(flagged(&page, "title"));
}

#[test]
fn a_stranger_in_the_place_is_refused() {
    let page = page("<button :t>Delete</button>");
    let mut recorded = target(
        "button",
        "button",
        &[(LocatorKind::Role, "role=button[name=\"Save\"]"), (LocatorKind::Path, "path=/button[1]")],
    );
    recorded.name = "Save".to_owned();
    let error = page.mirror.resolve_target(TAB, &[], &recorded).unwrap_err();
    assert_eq!(error.code, FailureCode::NotFound);
    assert!(error.message.ends_with("in its place stands button \"Delete\""), "{}", error.message);
    // A number may have gone on, and words that were seen to change may have changed again.
    recorded.name = "Delete3".to_owned();
    assert_eq!(page.mirror.resolve_target(TAB, &[], &recorded), Ok((page.the(), 1)));
    recorded.name = "Save".to_owned();
    recorded.locators[0].volatile.push(Volatility::Changing);
    assert_eq!(page.mirror.resolve_target(TAB, &[], &recorded), Ok((page.the(), 1)));
    // But not its neighbour's words, nor a number that is all there is.
    recorded.locators[0].kind = LocatorKind::Relative;
    assert!(page.mirror.resolve_target(TAB, &[], &recorded).is_err());
    let day = self::page("<button :t>13</button>");
    recorded.locators[0] = Locator {
        kind: LocatorKind::Role,
        value: "role=button[name=\"12\"]".to_owned(),
        matches: 1,
        volatile: Vec::new(),
    };
    recorded.name = "12".to_owned();
    assert!(day.mirror.resolve_target(TAB, &[], &recorded).is_err());
}

#[test]
fn unreadable_targets() {
    let page = page(SHOP);
    for target in [
        "",
        "  ",
        "div[",
        "xpath=//div",
        "role=button[nam=x]",
        "role=button[name=\"x]",
        "path=html",
        "path=/a[0]",
        "text=\"x",
        "p::before",
        "a:nonsense",
        ">>",
        "f >> e",
        "::",
        "é>",
        "\"",
        "'a",
        "role=",
        "css=",
    ] {
        let error = page.mirror.resolve(TAB, target).unwrap_err();
        let expected = [FailureCode::BadValue, FailureCode::NotFound];
        assert!(expected.contains(&error.code) && !error.message.is_empty(), "{target}: {error:?}");
    }
    assert_eq!(page.mirror.resolve(TAB, "div[").unwrap_err().code, FailureCode::BadValue);
    assert_eq!(page.mirror.resolve(3.0, "body").unwrap_err().code, FailureCode::NotFound);
}

#[test]
fn hidden_elements_are_found_when_nothing_else_is() {
    let page = page("<div hidden><button :t>Go</button></div>");
    assert_eq!(page.mirror.resolve(TAB, "role=button[name=\"Go\"]").ok(), Some(page.the()));
    assert!(!page.mirror.visible(page.the()));
}

fn target(role: &str, tag: &str, locators: &[(LocatorKind, &str)]) -> Target {
    let one = |(kind, value): &(LocatorKind, &str)| Locator {
        kind: *kind,
        value: (*value).to_owned(),
        matches: 1,
        volatile: vec![],
    };
    Target { role: role.into(), tag: tag.into(), locators: locators.iter().map(one).collect(), ..Target::default() }
}

#[test]
fn recorded_targets() {
    use LocatorKind::{Attribute, Path, Role, Text};
    let page = page("<button :t=a id=a>Go</button><button :t=b id=b>Go</button><i :t=i>x</i>");
    let resolve = |target: &Target| {
        page.mirror
            .resolve_target(TAB, &[], target)
            .map(|(node, won)| (page.marks.iter().find(|m| *m.1 == node).unwrap().0.clone(), won))
            .map_err(|e| e.code)
    };
    let go = (Role, "role=button[name=\"Go\"]");
    // The first unique one wins.
    assert_eq!(resolve(&target("button", "button", &[(Attribute, "css=#b"), go])), Ok(("b".into(), 0)));
    // A later one chooses among what an earlier one matched …
    assert_eq!(resolve(&target("button", "button", &[go, (Attribute, "css=#b")])), Ok(("b".into(), 1)));
    assert_eq!(
        resolve(&target("button", "button", &[(Role, "role=link"), go, (Path, "path=/button[2]")])),
        Ok(("b".into(), 2))
    );
    // … and not outside of it.
    assert_eq!(resolve(&target("button", "button", &[go, (Path, "path=/i[1]")])), Err(FailureCode::Ambiguous));
    assert_eq!(resolve(&target("button", "button", &[go, (Text, "text=\"Go\"")])), Err(FailureCode::Ambiguous));
    // A place alone must at least hold the same kind of thing.
    assert_eq!(
        resolve(&target("button", "button", &[(Role, "role=link"), (Path, "path=/i[1]")])),
        Err(FailureCode::NotFound)
    );
    assert_eq!(resolve(&target("generic", "i", &[(Role, "role=link"), (Path, "path=/i[1]")])), Ok(("i".into(), 1)));
    assert_eq!(resolve(&target("button", "button", &[])), Err(FailureCode::NotFound));
}

fn framed() -> Page {
    let mut page = page("<iframe title=Pay :frame=child></iframe><button>Go</button>");
    page.load("child", false, "<button :t>Go</button><input :t=i :value=7><input type=checkbox :t=c checked><p :t=p>a <b>b</b></p><ul><li>1</li><li>2</li></ul>");
    page
}

#[test]
fn frames_on_the_way() {
    let page = framed();
    let frame = "css=iframe[title=\"Pay\"]";
    assert_eq!(page.mirror.frame_path(page.the().doc), [frame]);
    assert_eq!(page.mirror.resolve(TAB, &format!("{frame} >> role=button[name=\"Go\"]")).ok(), Some(page.the()));
    let recorded = page.mirror.target(page.the());
    assert_eq!(page.mirror.resolve_target(TAB, &[frame.to_owned()], &recorded), Ok((page.the(), 0)));
    let error = page.mirror.resolve(TAB, "button >> button").unwrap_err();
    assert_eq!(error.message, "button is button \"Go\", in which no document is known; is it a frame, and loaded?");
}

#[test]
fn assertions() {
    use AssertionKind::{Checked, Count, Text, Url, Value, Visible};
    let mut page = framed();
    let frame = vec!["css=iframe".to_owned()];
    let check = |page: &Page, kind: AssertionKind, locator: &str, expected: &str| {
        let target = (!locator.is_empty()).then(|| target("", "", &[(LocatorKind::Role, locator)]));
        let frame = if locator.is_empty() { vec![] } else { frame.clone() };
        let verdict = page.mirror.evaluate(TAB, &Assertion { kind, target, frame, expected: expected.to_owned() });
        (verdict.holds, verdict.seen)
    };
    let cases: &[(AssertionKind, &str, &str, bool, &str)] = &[
        (Text, "p", " a  b ", true, "a b"),
        (Text, "p", "a", false, "a b"),
        (Value, "css=input[type=checkbox]", "on", true, "on"),
        (Value, "css=input:not([type])", "7", true, "7"),
        (Value, "css=input:not([type])", "8", false, "7"),
        (Visible, "p", "true", true, "true"),
        (Visible, "p", "false", false, "true"),
        (Visible, "h1", "false", true, "false"),
        (Checked, "css=input[type=checkbox]", "true", true, "true"),
        (Checked, "css=input[type=checkbox]", "false", false, "true"),
        (Checked, "p", "true", false, "a paragraph cannot be checked"),
        (Count, "li", "2", true, "2"),
        (Count, "li", "3", false, "2"),
        (Count, "h1", "0", true, "0"),
        (Url, "", "https://top.example/", true, "https://top.example/"),
        (Url, "", "https://*.example/", true, "https://top.example/"),
        (Url, "", "*top*", true, "https://top.example/"),
        (Url, "", "https://top.example", false, "https://top.example/"),
        (Url, "", "*x*x*", false, "https://top.example/"),
    ];
    for (kind, locator, expected, holds, seen) in cases {
        assert_eq!(
            check(&page, *kind, locator, expected),
            (*holds, (*seen).to_owned()),
            "{kind:?} {locator} {expected}"
        );
    }
    let (holds, seen) = check(&page, Text, "li", "1");
    assert!(!holds && seen.contains("matches 2 elements"), "{seen}");
    let node = page.node("p");
    page.apply(node.doc, Op::Attribute { id: node.node, name: "hidden", value: Some("") });
    assert_eq!(check(&page, Visible, "p", "false"), (true, "false".to_owned()));
}

#[test]
fn evidence() {
    let page = page("<form><button :t :box='10 20 80 30 7'>Save</button></form>");
    let target = page.mirror.target(page.the());
    assert_eq!((target.role.as_str(), target.name.as_str(), target.tag.as_str()), ("button", "Save", "button"));
    assert_eq!(target.dom_path, "/form[1]/button[1]");
    assert_eq!(target.rect.map(|r| (r.x, r.y, r.width, r.height)), Some((10.0, 20.0, 80.0, 30.0)));
    assert!(target.locators.iter().all(|l| !l.volatile.contains(&Position) || l.kind >= LocatorKind::Css));
}
