//! The plans for lectures: every link in them opens what they say, every file is there, and the minutes add up.

use lipscope::lessons::scene_of;
use lipscope::link;
use lipscope_testkit::in_repository;

fn text() -> String {
    std::fs::read_to_string(in_repository("docs/teaching.md")).expect("a file")
}

/// The fragments in backticks.
fn fragments(text: &str) -> Vec<&str> {
    text.split('`').filter_map(|code| code.find("#v3").map(|at| &code[at..])).collect()
}

#[test]
fn every_link_of_the_plans_is_read_without_a_fault() {
    let text = text();
    let fragments = fragments(&text);
    assert!(fragments.len() > 20, "only {} links", fragments.len());
    for fragment in fragments {
        let followed = link::read(fragment, scene_of);
        assert_eq!(followed.problems, Vec::<String>::new(), "{fragment}");
        let scene = followed.scene.expect("a scene");
        assert_eq!(scene.lesson.is_some(), fragment.contains("lesson="), "{fragment}");
    }
}

#[test]
fn every_file_that_the_plans_name_is_there_and_the_readme_leads_to_them() {
    let text = text();
    for target in text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target) {
        assert!(in_repository(format!("docs/{target}")).is_file(), "{target}");
    }
    let readme = std::fs::read_to_string(in_repository("README.md")).expect("a file");
    assert!(readme.contains("(docs/teaching.md)"));
}

#[test]
fn the_minutes_of_each_plan_add_up() {
    let text = text();
    let plan = |heading: &str| -> u32 {
        let section = text.split("\n## ").find(|section| section.starts_with(heading)).expect("a plan");
        let first = |line: &str| line.strip_prefix("| ")?.split(' ').next()?.parse::<u32>().ok();
        section.lines().filter_map(first).sum()
    };
    assert_eq!(plan("45 minutes"), 45);
    // Its first 45 minutes are the plan before it.
    assert_eq!(plan("90 minutes"), 45);
}
