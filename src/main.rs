//! The page's program. For the browser it is cut along [`later`] and [`chinese`] into three parts: the first picture,
//! the rest of the page, and the Chinese texts.

use lipscope::language::Translation;
use lipscope::{Fetch, LaterPart, chinese_texts, later_part};

fn main() {
    lipscope::start(Fetch {
        later: || Box::pin(async { later().await.ok() }),
        chinese: || Box::pin(async { chinese().await.ok() }),
    });
}

#[cfg(target_arch = "wasm32")]
#[wasm_split_helpers::wasm_split(later, fallible)]
fn later() -> Result<LaterPart, wasm_split_helpers::SplitLoaderError> {
    Ok(later_part())
}

#[cfg(target_arch = "wasm32")]
#[wasm_split_helpers::wasm_split(chinese, fallible)]
fn chinese() -> Result<Translation, wasm_split_helpers::SplitLoaderError> {
    Ok(chinese_texts())
}

#[cfg(not(target_arch = "wasm32"))]
async fn later() -> Result<LaterPart, std::convert::Infallible> {
    Ok(later_part())
}

#[cfg(not(target_arch = "wasm32"))]
async fn chinese() -> Result<Translation, std::convert::Infallible> {
    Ok(chinese_texts())
}
