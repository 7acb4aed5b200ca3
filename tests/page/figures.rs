//! Every figure of the page and of the documents says what it shows.

use lipscope_testkit::in_repository;
use lipscope_testkit::sources::sources;

#[test]
fn every_canvas_of_the_page_has_words() {
    let mut n_canvases = 0;
    for file in sources("src") {
        for canvas in file.text.split("<canvas").skip(1) {
            let tag = canvas.split("</canvas>").next().unwrap_or_default();
            n_canvases += 1;
            assert!(tag.contains("aria-label=") || tag.contains("aria-hidden=\"true\""), "{}: <canvas{tag}", file.path);
        }
    }
    assert!(n_canvases > 10, "only {n_canvases} canvases were found: the scan is broken");
}

#[test]
fn every_picture_of_the_documents_has_words() {
    let files = std::fs::read_dir(in_repository("docs")).expect("a folder").flatten().map(|entry| entry.path());
    let mut n_pictures = 0;
    for path in files.filter(|path| path.extension().is_some_and(|end| end == "md")) {
        let text = std::fs::read_to_string(&path).expect("a document");
        for picture in text.split("![").skip(1) {
            n_pictures += 1;
            assert!(!picture.starts_with(']'), "{}: a picture without words", path.display());
        }
    }
    assert!(n_pictures > 10, "only {n_pictures} pictures were found: the scan is broken");
}
