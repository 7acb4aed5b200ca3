//! The opening view as a document: what a reader sees until the program has come. The page's own components write it,
//! with the numbers that the engine finds at once, natively; the pictures are the page's figures as SVG.
//!
//! `tests/page/opening.rs` holds it equal to what is kept in `assets/opening`, which the site's `index.html` contains.
//!
//! | file | concept |
//! | --- | --- |
//! | `markup` | what the document keeps of the components' HTML |
//! | `card` | the picture of a shared link |
//! | `picture` | a figure as SVG, in the colours of the page's theme |

mod card;
mod markup;
mod picture;

use std::cell::RefCell;
use std::rc::Rc;

use crate::prelude::*;
use lipscope_core::experiment::Memory;
use lipscope_protocol::envelope::{Command, Reply, Request};
use lipscope_protocol::runner::Runner;
use lipscope_protocol::task::Turn;
use lipscope_protocol::tasks::{EngineEvent, EngineTasks};

use crate::ask::Here;
use crate::explore::{first_picture, use_pinned};
use crate::language::{self, Language, Translation};
use crate::page;
use crate::plane::{Size, scene, use_plane};
use crate::shell::{self, Frame};
use crate::strings;
use picture::{Colors, SCREENS, Shapes, pictures};

/// The opening view in several languages.
#[derive(Clone, Debug, Default)]
pub struct Openings {
    /// The elements of the view in each language.
    pub views: Vec<String>,
    /// The card of a shared link in each language, as SVG.
    pub cards: Vec<String>,
    colors: Colors,
    shapes: Shapes,
}

impl Openings {
    /// The shapes of the pictures, to which the views refer.
    #[must_use]
    pub fn shapes(&self) -> String {
        self.shapes.svg()
    }

    /// The colours of the pictures: custom properties of the light and of the dark theme.
    #[must_use]
    pub fn colors(&self) -> String {
        self.colors.css()
    }

    /// Adds the view in a language; `texts` are those of the catalogues in it.
    pub fn add(&mut self, of: Language, texts: Option<Translation>) {
        if let Some(texts) = texts {
            language::keep_chinese(texts);
        }
        language::set(of);
        let own = if of == Language::Chinese { "first-zh-" } else { "first-" };
        let owner = Owner::new();
        let view = owner.with(|| {
            let page = page::begin_document(engine());
            shell::provide(page);
            let disc = untrack(|| scene(use_plane(), Size::Opening, None)).expect("a first visit is measured");
            let disc = pictures(
                "explore-plane",
                &disc,
                SCREENS.map(|screen| screen.disc),
                (&mut self.colors, &mut self.shapes),
            );
            let chart = untrack(|| first_picture(page, use_pinned()));
            let plot = pictures(
                "explore-plot",
                &chart,
                SCREENS.map(|screen| screen.plot),
                (&mut self.colors, &mut self.shapes),
            );
            let html = untrack(|| view! { <Frame/> }.to_html());
            self.cards.push(card::card(strings::TITLE, strings::lead(), &markup::sentences(&html), &chart));
            let html = markup::of_document(&html, own, &[disc, plot]);
            format!("<p class=\"opening-note\">{}</p>{html}", strings::computing())
        });
        self.views.push(view);
        language::set(Language::English);
    }
}

/// The engine, which carries out each plan at once.
fn engine() -> Here {
    let runner = RefCell::new(Runner::<EngineTasks>::new(Memory::default()));
    Rc::new(move |plan| {
        let mut said = Vec::new();
        let mut keep = |reply: Reply<EngineEvent>| said.push(reply.content);
        let mut runner = runner.borrow_mut();
        // No time passes: what is drawn must not depend on it.
        runner.begin(Command::Run(Request { run_id: 0, plan: plan.clone() }), 0.0, &mut keep);
        while runner.slice(f64::INFINITY, || 0.0, &mut keep) != Turn::Done {}
        said
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::{Facts, Sentence, facts};
    use crate::state::{PageState, TokenChoice, WeightChoice};
    use lipscope_core::bounds::{Norm, best_lower};
    use lipscope_core::experiment::{Distribution, Mask, Normalization, Scope};
    use lipscope_core::fit::fit_power_law;
    use lipscope_core::growth::{GrowthPlan, growth};
    use lipscope_core::sweep::Spacing;

    /// The text of elements.
    fn text_of(html: &str) -> String {
        let mut text = String::new();
        let mut is_inside = false;
        for c in html.chars() {
            match c {
                '<' => is_inside = true,
                '>' => is_inside = false,
                c if !is_inside => text.push(c),
                _ => {}
            }
        }
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The exponents of the numbers with digits before a power of ten.
    fn exponents(text: &str) -> Vec<i32> {
        let power = |rest: &str| {
            let digits: String = rest
                .chars()
                .map_while(|c| "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().position(|known| known == c))
                .map(|digit| digit.to_string())
                .collect();
            digits.parse().ok()
        };
        text.split(" × 10").skip(1).filter_map(power).collect()
    }

    fn state_at(at: usize) -> PageState {
        let pick = |list: &[f64], step: usize| list[(at / step) % list.len()];
        let weights = [WeightChoice::IdentityMinus, WeightChoice::Random, WeightChoice::IdentityPlus];
        PageState {
            n: pick(&[12.0, 2.0, 40.0], 1) as usize,
            radius: pick(&[1.5, 0.3, 3.0, 66.0, 1.0, 20.0, 2.2], 1),
            d: pick(&[2.0, 1.0, 4.0], 3) as usize,
            weights: weights[(at / 2) % 3],
            heads: pick(&[1.0, 2.0], 5) as usize,
            head_dim: 2,
            mask: if at % 4 == 3 { Mask::Causal } else { Mask::None },
            normalization: [Normalization::None, Normalization::None, Normalization::Rms][(at / 4) % 3],
            scope: if at % 2 == 0 { Scope::Inputs } else { Scope::Composed },
            tokens: if at % 12 == 6 { TokenChoice::Adversarial } else { TokenChoice::Distribution(Distribution::Ball) },
            token_seed: at as u64,
            ..PageState::default()
        }
    }

    /// The slope of the best lower bound from 4 tokens to the end of growth, at many more n than the page takes.
    fn slope(state: &PageState, end: f64) -> f64 {
        let experiment = crate::plans::ball_over_n(state);
        let end = end.min(30.0);
        let lengths = (0..40).map(|at| (4f64.ln() + (end - 4f64.ln()) * f64::from(at) / 39.0).exp()).collect();
        let rows = growth(&experiment, &GrowthPlan { lengths, spacing: Spacing::Fixed }).expect("curves").rows;
        let log10 = |at: usize| best_lower(&rows[at].bounds, Norm::Spectral).expect("a lower bound").log10;
        let points: Vec<_> = (0..rows.len()).map(|at| (rows[at].n, 10f64.powf(log10(at) - log10(0)))).collect();
        fit_power_law(&points).expect("a fit").exponent
    }

    fn check(at: usize, state: &PageState, facts: &Facts, text: &str) {
        assert!(exponents(text).iter().all(|power| *power < 9), "{at}: {text}");
        assert!(!text.contains("1.000 times") && !text.contains("1.000 of its size"), "{at}: {text}");
        assert!(!text.contains('–') && !text.contains("NaN"), "{at}: {text}");
        let here = facts.measured.0.log10();
        assert!(here <= facts.worst_log10 + 1e-9, "{at}: {here} {}: {text}", facts.worst_log10);
        if let Some(best) = &facts.best {
            assert!(facts.worst_log10 <= best.log10 + 1e-9, "{at}: {} {}: {text}", facts.worst_log10, best.log10);
        }
        if text.contains("grow like √n") {
            let slope = slope(state, facts.growth_ends.expect("an end of growth"));
            assert!((0.35..=0.65).contains(&slope), "{at}: slope {slope}: {text}");
        }
    }

    #[test]
    fn the_sentence_of_the_opening_view_says_only_what_holds_in_sixty_states() {
        let mut growing = 0;
        for at in 0..60 {
            let state = state_at(at);
            Owner::new().with(|| {
                let page = page::begin_document(engine());
                shell::provide(page);
                untrack(|| page.put("n", Ok(state.clone())));
                let now = untrack(|| page.state.get());
                assert_eq!(now, state, "{at}: {:?}", untrack(|| page.answers.problem.get()));
                let facts = untrack(|| facts(page)).unwrap_or_else(|| panic!("{at}: no numbers"));
                let text = text_of(&untrack(|| view! { <Sentence/> }.to_html()));
                println!(
                    "{at}: n {} R {} d {} {:?} {:?} {:?}\n    {text}",
                    state.n, state.radius, state.d, state.weights, state.mask, state.normalization
                );
                check(at, &state, &facts, &text);
                growing += usize::from(text.contains("grow like √n"));
            });
        }
        assert!(growing > 3, "growth is named in {growing} states");
    }
}
