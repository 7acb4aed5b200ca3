//! Recognises files of other programs by their first bytes. They are not tables, so the error says how to export their
//! numbers.

use crate::experiment::Phrase;
use crate::phrase;

/// What kind of file it is, and how to turn its numbers into a table; `None` for unknown bytes.
pub(super) fn of(bytes: &[u8]) -> Option<(Phrase, Phrase)> {
    let begins = |magic: &[u8]| bytes.starts_with(magic);
    let head = &bytes[..bytes.len().min(HEAD)];
    let has = |part: &[u8]| head.windows(part.len()).any(|window| window == part);
    if begins(b"PK\x03\x04") {
        return Some(if has(b".npy") {
            npz()
        } else if has(b"data.pkl") {
            checkpoint()
        } else if has(b"[Content_Types].xml") || has(b"xl/") || has(b"opendocument.spreadsheet") {
            workbook()
        } else {
            (phrase!("it_is_zip", "it is a zip archive"), phrase!("unpack_it", "Unpack it and give the table in it."))
        });
    }
    if begins(b"\xd0\xcf\x11\xe0") {
        return Some(workbook());
    }
    if begins(b"MATLAB 5.0 MAT-file") || begins(b"\x89HDF") {
        return Some((
            phrase!("it_is_mat_or_hdf", "it is a MATLAB or HDF5 file"),
            phrase!(
                "export_mat",
                "Export the matrix as text: `writematrix(X, \"x.csv\")` in MATLAB, or `numpy.save` in Python."
            ),
        ));
    }
    if begins(b"PAR1") || begins(b"ARROW1") {
        return Some((
            phrase!("it_is_parquet", "it is a Parquet or Arrow file"),
            phrase!(
                "export_parquet",
                "Export it with pandas: `pandas.read_parquet(file).to_csv(\"x.csv\", index=False)`."
            ),
        ));
    }
    if begins(b"\x1f\x8b") {
        return Some((
            phrase!("it_is_gzip", "it is compressed with gzip (as R's .rds files are)"),
            phrase!(
                "export_gzip",
                "Unpack it, or export the matrix in R: `write.csv(x, \"x.csv\", row.names = FALSE)`."
            ),
        ));
    }
    if matches!(bytes, [0x80, 2..=5, ..]) {
        return Some(checkpoint());
    }
    None
}

/// The names of an archive's first parts lie within this many bytes.
const HEAD: usize = 4096;

fn npz() -> (Phrase, Phrase) {
    (
        phrase!("it_is_npz", "it is an .npz archive of several arrays"),
        phrase!("export_npz", "Save one of its arrays: `numpy.save(\"x.npy\", numpy.load(\"x.npz\")[\"x\"])`."),
    )
}

fn checkpoint() -> (Phrase, Phrase) {
    (
        phrase!("it_is_pickle", "it is a pickle of Python or PyTorch"),
        phrase!("export_pickle", "Save the tensor in it: `numpy.save(\"x.npy\", torch.load(\"x.pt\").numpy())`."),
    )
}

fn workbook() -> (Phrase, Phrase) {
    (
        phrase!("it_is_workbook", "it is a workbook of Excel or LibreOffice"),
        phrase!("export_workbook", "Save the sheet as CSV, or copy its cells and paste them."),
    )
}
