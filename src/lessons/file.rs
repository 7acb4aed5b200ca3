// The format of a lesson's file, and the faults of such a file. This module uses neither browser nor page, since the
// build reads files with it too.
//
// ```text
// ---
// id: sink
// title: The sink
// set: plot=growth&tokens=ball&..       what every step starts from: fields of a link
// ---
// ## Be the sink                       a step
// set: n=16&R=2                        what this step sets besides
// show: pair, wall, bound unified      or: row, column, token 1, figure blocks-heading
// > goal most: column-sum >= 14 | Draw the attention of 14 tokens.
// > solve most: tokens=own&token-data=..          or: impossible by unified, press, train 100
// > hint: Move it to the far side.
// > predict: curve
// > before: measured                   the number to quote as the one before the answer, where choices name another
// > choice lower: L <= 12 | It falls.
// > source: [theory, section 2, sharp](theory.html#sharp).
// A line is a paragraph, with places {measured} and [at R = 5](set R=5). A slider ends it: [slider R 1..5]
// {when most} This paragraph is shown once that goal is reached.
// {when most here} This one is dimmed where the settings do not meet that goal.
// {when most if R >= 2 and norm is linf} This one is shown only where the conditions hold.
// ```
//
// A Chinese file has the texts alone: `title`, `summary`, and in each step `> goal most: ..`, `> hint`, `> choice`,
// `> source` and the paragraphs, with the same places.

/// A fault of a file: its line, from one, and a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The line, from one.
    pub line: usize,
    /// What is wrong, and what would be right.
    pub text: String,
}

/// Which of the two files of a lesson.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edition {
    /// In English: it also says what steps set and what their goals are.
    English,
    /// In another language: the texts alone.
    Translation,
}

/// A lesson's file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LessonFile<'a> {
    /// Keys and values between the rules at the top.
    pub head: Vec<Mark<'a>>,
    /// Its steps.
    pub steps: Vec<StepText<'a>>,
}

/// A step of a lesson's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepText<'a> {
    /// The line of its heading.
    pub line: usize,
    /// The text of its heading.
    pub title: &'a str,
    /// Its marks, in order.
    pub marks: Vec<Mark<'a>>,
    /// Its paragraphs, each with its line.
    pub paragraphs: Vec<(usize, &'a str)>,
}

/// `key: value`, or `> key name: value`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark<'a> {
    /// The number of its line, from one.
    pub line: usize,
    /// The kind of mark.
    pub key: &'a str,
    /// The name of the goal or choice that it belongs to; empty for others.
    pub name: &'a str,
    /// The text after the colon.
    pub value: &'a str,
}

/// The fields that a lesson sets for every step, so that no step depends on the page's defaults.
pub const EXPLICIT: [&str; 19] = [
    "plot",
    "tokens",
    "n",
    "d",
    "R",
    "seed",
    "weights",
    "attention",
    "mask",
    "normalization",
    "scope",
    "eps",
    "head",
    "norm",
    "axis",
    "longest",
    "draws",
    "range",
    "at",
];

const HEAD: (&[&str], &[&str]) = (&["id", "title", "summary", "minutes", "set"], &["title", "summary"]);
const MARKS: (&[&str], &[&str]) = (
    &["set", "show", "goal", "solve", "hint", "predict", "before", "choice", "source"],
    &["goal", "hint", "choice", "source"],
);
/// The keys that take a name.
const NAMED: [&str; 3] = ["goal", "solve", "choice"];

/// Reads a lesson's file.
///
/// # Errors
/// The first [`Fault`].
pub fn parse(text: &str, edition: Edition) -> Result<LessonFile<'_>, Fault> {
    let mut file = LessonFile::default();
    let mut lines = text.lines().enumerate().map(|(at, line)| (at + 1, line.trim_end()));
    if lines.next().map(|(_, line)| line) != Some("---") {
        return fault(1, "A lesson begins with a line ---, keys and values, and another line ---.");
    }
    let mut is_closed = false;
    for (line, text) in lines.by_ref() {
        if text == "---" {
            is_closed = true;
            break;
        }
        let mark = mark(line, text).ok_or_else(|| wrong(line, "This line is no `key: value`."))?;
        let (english, translated) = HEAD;
        known(&mark, if edition == Edition::English { english } else { translated })?;
        file.head.push(mark);
    }
    if !is_closed {
        return fault(text.lines().count(), "The keys at the top are not closed by a line ---.");
    }
    for (line, text) in lines {
        if let Some(title) = text.strip_prefix("## ") {
            file.steps.push(StepText { line, title: title.trim(), marks: Vec::new(), paragraphs: Vec::new() });
            continue;
        }
        if text.is_empty() {
            continue;
        }
        let Some(step) = file.steps.last_mut() else {
            return fault(line, "Text stands before the first heading `## ..`.");
        };
        let spoken = match text.strip_prefix("> ") {
            Some(rest) => {
                Some(mark(line, rest).ok_or_else(|| wrong(line, "After `> ` comes a key, a colon and a value."))?)
            }
            None => mark(line, text).filter(|mark| matches!(mark.key, "set" | "show") && mark.name.is_empty()),
        };
        match spoken {
            Some(mark) => {
                let (english, translated) = MARKS;
                known(&mark, if edition == Edition::English { english } else { translated })?;
                if NAMED.contains(&mark.key) == mark.name.is_empty() {
                    return fault(line, &format!("`{}` is written as `> {0}{}: ..`.", mark.key, name_of(mark.key)));
                }
                step.marks.push(mark);
            }
            None => {
                balanced(line, text)?;
                ends_with_slider(line, text)?;
                step.paragraphs.push((line, text));
            }
        }
    }
    check(&file, edition)?;
    Ok(file)
}

/// Compares a translation with the English file.
///
/// # Errors
/// The first [`Fault`], at a line of the translation.
pub fn agree(english: &LessonFile<'_>, other: &LessonFile<'_>) -> Result<(), Fault> {
    if english.steps.len() != other.steps.len() {
        let last = other.steps.last().map_or(1, |step| step.line);
        return fault(last, &format!("It has {} steps, the English file {}.", other.steps.len(), english.steps.len()));
    }
    for (ours, theirs) in english.steps.iter().zip(&other.steps) {
        for key in ["goal", "choice", "hint", "source"] {
            let names = |step: &StepText<'_>| {
                step.marks.iter().filter(|mark| mark.key == key).map(|mark| mark.name.to_owned()).collect::<Vec<_>>()
            };
            if names(ours) != names(theirs) {
                let text = format!("Its `{key}` are {:?}, those of the English step {:?}.", names(theirs), names(ours));
                return fault(theirs.line, &text);
            }
        }
        if ours.paragraphs.len() != theirs.paragraphs.len() {
            let (a, b) = (theirs.paragraphs.len(), ours.paragraphs.len());
            return fault(theirs.line, &format!("It has {a} paragraphs, the English step {b}."));
        }
        for ((_, a), (line, b)) in ours.paragraphs.iter().zip(&theirs.paragraphs) {
            if places(a) != places(b) {
                return fault(*line, &format!("Its places are {:?}, those in English {:?}.", places(b), places(a)));
            }
        }
    }
    Ok(())
}

impl<'a> LessonFile<'a> {
    /// The value of a key at the top.
    #[must_use]
    pub fn value(&self, key: &str) -> Option<&'a str> {
        self.head.iter().find(|mark| mark.key == key).map(|mark| mark.value)
    }

    /// The fields of a link that a step sets: the fields at the top of the file that the step does not set itself, then
    /// its own.
    #[must_use]
    pub fn fields(&self, step: &StepText<'a>) -> String {
        let sets = |marks: &[Mark<'a>]| {
            let sets = marks.iter().filter(|mark| mark.key == "set").flat_map(|mark| mark.value.split('&'));
            sets.collect::<Vec<_>>()
        };
        let key = |field: &str| field.split('=').next().unwrap_or_default().to_owned();
        let own = sets(&step.marks);
        let is_own = |field: &&str| own.iter().any(|own| key(own) == key(field));
        let mut all: Vec<&str> = sets(&self.head).into_iter().filter(|field| !is_own(field)).collect();
        all.extend(&own);
        all.join("&")
    }
}

/// What stands in `{when ..}`: the goals, and the place where the paragraph is true: `here`, conditions, or nothing.
#[must_use]
pub fn split_when(when: &str) -> (Vec<&str>, &str) {
    let (goals, place) = match when.split_once(" if ") {
        Some(parts) => parts,
        None => when.strip_suffix(" here").map_or((when, ""), |goals| (goals, "here")),
    };
    (goals.split(", ").collect(), place)
}

/// The places of a text, sorted: the contents of braces, the controls in brackets, and the targets of buttons and
/// links.
#[must_use]
pub fn places(text: &str) -> Vec<&str> {
    let mut found: Vec<&str> = text.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0)).collect();
    let in_brackets = text.split('[').skip(1).filter_map(|rest| rest.split_once(']'));
    for (inside, after) in in_brackets {
        match after.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
            Some((target, _)) => found.push(target),
            None => found.push(inside),
        }
    }
    found.sort_unstable();
    found
}

fn check(file: &LessonFile<'_>, edition: Edition) -> Result<(), Fault> {
    let (english, translated) = HEAD;
    for key in if edition == Edition::English { english } else { translated } {
        if file.value(key).is_none() {
            return fault(1, &format!("The top lacks `{key}`."));
        }
    }
    if file.steps.is_empty() {
        return fault(1, "There is no step.");
    }
    for step in &file.steps {
        if step.paragraphs.is_empty() {
            return fault(step.line, "This step has no text.");
        }
        let names = |key: &'static str| step.marks.iter().filter(move |mark| mark.key == key);
        for (line, text) in &step.paragraphs {
            let Some((when, _)) = text.strip_prefix("{when ").and_then(|rest| rest.split_once('}')) else { continue };
            if let Some(name) =
                split_when(when).0.into_iter().find(|name| !names("goal").any(|goal| goal.name == *name))
            {
                return fault(*line, &format!("`{name}` is no goal of this step."));
            }
        }
        if edition == Edition::English {
            let fields = file.fields(step);
            let has = |key: &&str| fields.split('&').any(|field| field.split('=').next() == Some(key));
            if let Some(key) = EXPLICIT.iter().find(|key| !has(key)) {
                return fault(step.line, &format!("Neither this step nor the top sets `{key}`."));
            }
            for goal in names("goal") {
                if !goal.value.contains(" | ") {
                    return fault(goal.line, "A goal is written as `> goal name: condition | words`.");
                }
                if names("solve").filter(|solve| solve.name == goal.name).count() != 1 {
                    return fault(goal.line, &format!("The goal `{}` needs one line `> solve {0}: ..`.", goal.name));
                }
            }
            if let Some(lost) = names("solve").find(|solve| !names("goal").any(|goal| goal.name == solve.name)) {
                return fault(lost.line, &format!("There is no goal `{}`.", lost.name));
            }
        }
    }
    Ok(())
}

fn mark(line: usize, text: &str) -> Option<Mark<'_>> {
    let (before, value) = text.split_once(':')?;
    let (key, name) = before.split_once(' ').unwrap_or((before, ""));
    let is_word = |word: &str| word.bytes().all(|c| c.is_ascii_lowercase() || c == b'-');
    let is_mark = !key.is_empty() && is_word(key) && is_word(name);
    is_mark.then(|| Mark { line, key, name, value: value.trim() }).filter(|mark| !mark.value.is_empty())
}

fn known(mark: &Mark<'_>, keys: &[&str]) -> Result<(), Fault> {
    if keys.contains(&mark.key) {
        return Ok(());
    }
    fault(mark.line, &format!("`{}` is not known here; use {}.", mark.key, keys.join(", ")))
}

fn name_of(key: &str) -> &'static str {
    if NAMED.contains(&key) { " NAME" } else { "" }
}

/// Checks that every brace and bracket of a paragraph is closed on its line.
fn balanced(line: usize, text: &str) -> Result<(), Fault> {
    for (open, close) in [('{', '}'), ('[', ']')] {
        let mut depth = 0i32;
        for c in text.chars() {
            depth += i32::from(c == open) - i32::from(c == close);
            if !(0..=1).contains(&depth) {
                break;
            }
        }
        if depth != 0 {
            return fault(line, &format!("A {open} is not closed by {close} on this line."));
        }
    }
    Ok(())
}

/// Checks that a slider ends its paragraph: on screen it is a line of its own, and would cut a sentence that went on
/// behind it.
fn ends_with_slider(line: usize, text: &str) -> Result<(), Fault> {
    match text.split_once("[slider ").and_then(|(_, rest)| rest.split_once(']')) {
        Some((_, after)) if !after.is_empty() => fault(line, "A slider stands at the end of its paragraph."),
        _ => Ok(()),
    }
}

fn wrong(line: usize, text: &str) -> Fault {
    Fault { line, text: text.to_owned() }
}

fn fault<T>(line: usize, text: &str) -> Result<T, Fault> {
    Err(wrong(line, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOP: &str = "---\nid: a\ntitle: A\nsummary: S\nminutes: 3\nset: plot=growth&tokens=ball&n=4&d=2&R=1&seed=0&weights=random&attention=dot&mask=none&normalization=none&scope=inputs&eps=1e-5&head=1&norm=spectral&axis=log&longest=64&draws=8&range=1e18&at=1e9\n---\n";
    const STEP: &str = "## One\nset: n=8\n> goal up: L >= 2 | Raise it.\n> solve up: R=3\nNow {measured}, or [far](set R=5): [slider R 1..5]\n{when up} Done.\n";

    fn english(steps: &str) -> Result<(), Fault> {
        parse(&format!("{TOP}{steps}"), Edition::English).map(|_| ())
    }

    fn assert_fault(found: Result<(), Fault>, line: usize, part: &str) {
        let fault = found.expect_err("a fault");
        assert_eq!(fault.line, line, "{fault:?}");
        assert!(fault.text.contains(part), "{fault:?}");
    }

    #[test]
    fn a_step_sets_what_the_top_says_and_its_own_in_its_place() {
        let text = format!("{TOP}{STEP}");
        let file = parse(&text, Edition::English).expect("a lesson");
        let fields = file.fields(&file.steps[0]);
        assert!(fields.ends_with("&n=8") && !fields.contains("n=4&"), "{fields}");
        assert_eq!(file.steps[0].paragraphs.len(), 2);
        assert_eq!(places(file.steps[0].paragraphs[0].1), ["measured", "set R=5", "slider R 1..5"]);
    }

    #[test]
    fn a_fault_names_its_line() {
        assert_fault(parse("title: A", Edition::English).map(|_| ()), 1, "begins with");
        assert_fault(english(""), 1, "no step");
        assert_fault(english("text\n"), 8, "before the first heading");
        assert_fault(english("## One\n> gaol up: L >= 2 | x\ntext\n"), 9, "use set, show");
        assert_fault(english("## One\n> goal: L >= 2 | x\ntext\n"), 9, "> goal NAME");
        assert_fault(english("## One\n> goal up: L >= 2 | x\ntext\n"), 9, "needs one line");
        assert_fault(english("## One\n> goal up: raise it\n> solve up: R=3\ntext\n"), 9, "condition | words");
        assert_fault(english("## One\n> solve up: R=3\ntext\n"), 9, "no goal");
        assert_fault(english("## One\ntext {measured\n"), 9, "not closed");
        assert_fault(english("## One\nAt [slider R 1..5] it is.\n"), 9, "end of its paragraph");
        assert_fault(english("## One\n{when up} text\n"), 9, "no goal");
        assert_fault(english("## One\n"), 8, "no text");
        let without = TOP.replace("&mask=none", "");
        assert_fault(parse(&format!("{without}## One\ntext\n"), Edition::English).map(|_| ()), 8, "`mask`");
    }

    #[test]
    fn a_translation_that_lacks_a_step_a_goal_or_a_place_is_found_out() {
        let text = format!("{TOP}{STEP}");
        let english = parse(&text, Edition::English).expect("a lesson");
        let check = |steps: &str| {
            let text = format!("---\ntitle: B\nsummary: S\n---\n{steps}");
            let other = parse(&text, Edition::Translation).expect("a translation");
            agree(&english, &other)
        };
        let whole = "## B\n> goal up: B.\nB {measured} [B](set R=5) [slider R 1..5]\n{when up} B\n";
        assert_eq!(check(whole), Ok(()));
        assert_fault(check(&format!("{whole}## C\nC\n")), 9, "2 steps");
        assert_fault(check(&whole.replace("> goal up: B.\n", "").replace("{when up} ", "")), 5, "`goal`");
        assert_fault(check(&whole.replace("{measured} ", "")), 7, "places");
        assert_fault(check(&whole.replace("R=5)", "R=4)")), 7, "places");
        assert_fault(check(&whole.replace("{when up} B\n", "")), 5, "1 paragraphs");
    }
}
