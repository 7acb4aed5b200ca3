//! Opens the model named by `--weights`: a folder, or a randomly initialised model.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use lipscope_core::experiment::{InputError, Memory, Phrase};
use lipscope_models::{
    DrawnFamily, DrawnModel, ModelConfig, Opened, Part, Picture, Pictures, PixelRule, Resizing, Source, Spans,
    SpecialTokens, SplitText, Splitter, TOKENIZER_FILES, TextExtent, TextSource, Tokenizer, TokenizerFiles,
    WeightFiles, default_lengths, needs_pictures, no_special_tokens, takes_no_pictures, tokens_needed, whole_text,
};

use super::files::{read_bytes, unreadable};

/// What `--special` puts around every window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum SpecialName {
    /// Nothing: windows are text alone.
    None,
    /// What the model's tokenizer puts around a text, such as [CLS] and [SEP]; they count in n.
    Model,
}

/// The largest file of an image.
const MOST_IMAGE: u64 = 256 << 20;

/// A model, and the folder with its tokenizer.
pub(super) struct Found {
    /// The model.
    pub(super) model: Opened<FileSource>,
    /// The folder of the tokenizer; `None` for a randomly initialised model.
    folder: Option<PathBuf>,
}

/// What a model is measured at.
#[derive(Default)]
pub(super) struct Input {
    /// The token ids.
    pub(super) ids: Vec<u32>,
    /// The text column of the table.
    pub(super) fingerprint: String,
    /// Notes on guesses, and on what was done.
    pub(super) notes: Vec<Phrase>,
    /// The lengths of the windows.
    pub(super) lengths: String,
    /// Windows of each length.
    pub(super) windows: usize,
    /// What stands around every window.
    pub(super) special: SpecialTokens,
}

/// The windows of a text that are asked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct WindowRequest<'a> {
    /// Their lengths; `None` for those that fit the model.
    pub(super) lengths: Option<&'a str>,
    /// Windows of each length.
    pub(super) windows: usize,
    /// The most memory that splitting the text may take.
    pub(super) memory: Memory,
}

impl WindowRequest<'_> {
    /// The lengths for a model.
    fn lengths(&self, config: &ModelConfig, special: &SpecialTokens) -> String {
        self.lengths.map_or_else(|| default_lengths(config, special), str::to_owned)
    }

    /// The input at adversarial tokens, which need no text.
    pub(super) fn without_text(&self, config: &ModelConfig) -> Input {
        Input { lengths: self.lengths(config, &SpecialTokens::default()), windows: 1, ..Input::default() }
    }
}

/// Opens a folder, or a model of [`DrawnFamily::ALL`].
pub(super) fn open(
    weights: &str,
    part: Option<Part>,
    size: (usize, usize, usize),
    seed: u64,
) -> Result<Found, InputError> {
    if !weights.starts_with("random:") {
        return open_folder(Path::new(weights), part);
    }
    if let Some(part) = part {
        let expected = "left out: a randomly initialised model has one part";
        return Err(InputError::bad_value("--part", part.id(), expected));
    }
    let family = DrawnFamily::ALL.into_iter().find(|(word, _)| *word == weights).map(|(_, family)| family);
    let family = family.ok_or_else(|| {
        InputError::bad_value("--weights", weights, "a folder, random:gpt2, random:bert or random:llama")
    })?;
    let (d, layers, heads) = size;
    Ok(Found { model: Opened::drawn(DrawnModel { family, d, layers, heads, seed })?, folder: None })
}

fn open_folder(folder: &Path, part: Option<Part>) -> Result<Found, InputError> {
    if folder.is_file() {
        return Err(InputError::File {
            file: folder.display().to_string().into(),
            problem: "it is a file, and a model is a folder".into(),
            fix: "Give the folder in which it lies, with config.json and the weights.".into(),
        });
    }
    let config = read(&folder.join("config.json"))?;
    let weights = WeightFiles::gather(&names(folder)?, |name| FileSource::open(&folder.join(name)))?;
    let name = folder.file_name().map_or_else(|| "model".into(), |name| name.to_string_lossy().into_owned());
    Ok(Found { model: Opened::of_files(&name, &config, part, weights)?, folder: Some(folder.to_path_buf()) })
}

/// Opens a checkpoint: a folder, or a file of weights. The folder around it may have the config and the tokenizer.
pub(super) fn open_checkpoint(path: &Path, part: Option<Part>) -> Result<Found, InputError> {
    let around = path.parent().unwrap_or(path);
    let has_own = |names: &[&str]| names.iter().any(|name| path.join(name).is_file());
    let place = |names: &[&str]| if has_own(names) { path } else { around };
    let config = read(&place(&["config.json"]).join("config.json"))?;
    let weights = match path.is_dir() {
        true => WeightFiles::gather(&names(path)?, |name| FileSource::open(&path.join(name)))?,
        false => WeightFiles::of_one(FileSource::open(path)?),
    };
    let name = path.file_name().map_or_else(|| "model".into(), |name| name.to_string_lossy().into_owned());
    let folder = Some(place(&TOKENIZER_FILES).to_path_buf());
    Ok(Found { model: Opened::of_files(&name, &config, part, weights)?, folder })
}

/// The names of a folder's files.
fn names(folder: &Path) -> Result<BTreeSet<String>, InputError> {
    let entries = fs::read_dir(folder).map_err(|error| unreadable(folder, &error))?;
    Ok(entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect())
}

impl Found {
    /// A text as input, from the given or the folder's tokenizer, with notes on guesses. A randomly initialised model
    /// without a tokenizer uses words. Only as much of the text is read as the windows need.
    pub(super) fn text(
        &self,
        text: &mut impl TextSource,
        (tokenizer, special): (Option<&Path>, SpecialName),
        request: &WindowRequest<'_>,
    ) -> Result<Input, InputError> {
        let config = self.model.config();
        if config.picture.is_some() {
            return Err(needs_pictures(config));
        }
        let mut split = |splitter: Splitter<'_>, special: SpecialTokens| {
            let (lengths, windows) = (request.lengths(config, &special), request.windows);
            let tokens = tokens_needed(&lengths, windows)?;
            let extent = TextExtent { tokens, bytes: usize::MAX, memory: request.memory };
            let SplitText { ids, fingerprint, notes, .. } = splitter.split(text, extent, Spans::Skipped)?;
            Ok(Input { ids, fingerprint, notes, lengths, windows, special })
        };
        let files = match (tokenizer, &self.folder) {
            (Some(path), _) => TokenizerFiles { tokenizer: Some(read(path)?), ..TokenizerFiles::default() },
            (None, None) if special == SpecialName::Model => return Err(no_special_tokens()),
            (None, None) => {
                return split(Splitter::Words(config.vocabulary), SpecialTokens::default());
            }
            (None, Some(folder)) => TokenizerFiles::gather(|name| read_if_there(&folder.join(name)))?,
        };
        let tokenizer = Tokenizer::new(&files)?;
        let special = match special {
            SpecialName::None => SpecialTokens::default(),
            SpecialName::Model => tokenizer.special_tokens(self.model.first_token())?,
        };
        let mut input = split(Splitter::Tokenizer(&tokenizer), special)?;
        input.notes.splice(0..0, tokenizer.notes().iter().cloned());
        Ok(input)
    }

    /// Images as input, scaled as the folder's preprocessor says; the model keeps them.
    pub(super) fn images(&mut self, paths: &[PathBuf], resizing: Resizing) -> Result<Input, InputError> {
        let named = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let bytes = read_bytes(path, MOST_IMAGE)?;
            Ok((name.clone(), Picture::read(&name, &bytes)?))
        };
        let config = *self.model.config();
        let Some(folder) = self.folder.as_ref().filter(|_| config.picture.is_some()) else {
            return Err(takes_no_pictures(&config));
        };
        let rule = PixelRule::gather(|name| read_if_there(&folder.join(name)))?;
        let pictures = Arc::new(Pictures::new(paths.iter().map(named), rule, &config, resizing)?);
        self.model.show(pictures.clone());
        let ids = pictures.ids();
        Ok(Input {
            lengths: (ids.len() / pictures.count().max(1)).to_string(),
            windows: pictures.count(),
            ids,
            fingerprint: pictures.fingerprint(),
            notes: pictures.notes.clone(),
            special: SpecialTokens::default(),
        })
    }
}

/// A file on disk, read by ranges.
pub(super) struct FileSource {
    path: PathBuf,
    file: File,
    len: u64,
    /// When it was last changed; `None` where the system does not report it.
    written: Option<SystemTime>,
}

impl FileSource {
    fn open(path: &Path) -> Result<Self, InputError> {
        let opened = File::open(path).and_then(|file| Ok((file.metadata()?, file)));
        let (found, file) = opened.map_err(|error| unreadable(path, &error))?;
        Ok(FileSource { path: path.to_path_buf(), file, len: found.len(), written: found.modified().ok() })
    }

    fn changed(&self, problem: &'static str) -> InputError {
        InputError::File {
            file: self.path.display().to_string().into(),
            problem: problem.into(),
            fix: "Wait until it is copied whole, then run the command again.".into(),
        }
    }
}

impl Source for FileSource {
    fn len(&self) -> u64 {
        self.len
    }

    fn read(&mut self, range: Range<u64>) -> Result<Vec<u8>, InputError> {
        // The file's length limits the range, because a header may claim anything.
        let mut bytes = vec![0; range.end.min(self.len).saturating_sub(range.start) as usize];
        let outcome = self.file.seek(SeekFrom::Start(range.start)).and_then(|_| self.file.read_exact(&mut bytes));
        match outcome {
            // Otherwise half of one model and half of another would be measured as one.
            Ok(()) if self.file.metadata().is_ok_and(|now| now.modified().ok() != self.written) => {
                Err(self.changed("it was written to while it was read"))
            }
            Ok(()) => Ok(bytes),
            // The range lies within the length that the file had when it was opened.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                Err(self.changed("it became shorter while it was read"))
            }
            Err(error) => Err(unreadable(&self.path, &error)),
        }
    }
}

fn read_if_there(path: &Path) -> Result<Option<String>, InputError> {
    path.exists().then(|| read(path)).transpose()
}

fn read(path: &Path) -> Result<String, InputError> {
    whole_text(&path.display().to_string(), &mut FileSource::open(path)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_changes_becomes_shorter_or_vanishes_while_it_is_read_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("model.safetensors");
        fs::write(&path, [7; 100]).expect("written");
        let mut source = FileSource::open(&path).expect("it is there");
        assert_eq!(source.read(90..100).expect("whole"), [7; 10]);
        // No data lie beyond its end, whatever a header claims.
        assert_eq!(source.read(90..u64::MAX).expect("whole"), [7; 10]);
        assert_eq!(source.read(200..300).expect("nothing"), [0; 0]);
        File::options().write(true).open(&path).and_then(|file| file.set_len(95)).expect("cut");
        let said = source.read(90..100).expect_err("five bytes are gone").to_string();
        assert!(said.contains("model.safetensors") && said.contains("became shorter"), "{said}");
        fs::write(&path, [8; 100]).expect("written");
        let later = SystemTime::now() + std::time::Duration::from_secs(5);
        File::options().write(true).open(&path).and_then(|file| file.set_modified(later)).expect("ours");
        let said = source.read(90..100).expect_err("other bytes").to_string();
        assert!(said.contains("model.safetensors") && said.contains("was written to"), "{said}");
        fs::remove_file(&path).expect("removed");
        let said = FileSource::open(&path).err().expect("it is gone").to_string();
        assert!(said.contains("model.safetensors"), "{said}");
    }
}
