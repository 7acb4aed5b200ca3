//! The page's program. In the browser it is cut in two along [`later`]: the first picture's part, and the rest.

use lipscope::{LaterPart, later_part};

fn main() {
    lipscope::start(|| Box::pin(async { later().await.ok() }));
}

#[cfg(target_arch = "wasm32")]
#[wasm_split_helpers::wasm_split(later, fallible)]
fn later() -> Result<LaterPart, wasm_split_helpers::SplitLoaderError> {
    Ok(later_part())
}

#[cfg(not(target_arch = "wasm32"))]
async fn later() -> Result<LaterPart, std::convert::Infallible> {
    Ok(later_part())
}
