//! A model's folder, or the word for a drawn one.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::experiment::InputError;
use crate::models::{
    Model, ModelConfig, Needs, SafeTensors, Source, Tokenizer, TokenizerFiles, draw_model, fingerprint,
    ids_by_first_appearance, load_model,
};

/// A model of which only the shape is known yet.
pub(super) struct Opened {
    /// Its shape.
    pub(super) config: ModelConfig,
    /// What tables call it.
    pub(super) label: String,
    origin: Origin,
}

enum Origin {
    Drawn { seed: u64 },
    Folder(PathBuf),
}

/// Opens a folder, or takes `random:gpt2` or `random:bert` for what they are.
pub(super) fn open(weights: &str, size: (usize, usize, usize), seed: u64) -> Result<Opened, InputError> {
    let Some(family) = weights.strip_prefix("random:") else { return open_folder(Path::new(weights)) };
    let default = match family {
        "gpt2" => ModelConfig::gpt2(),
        "bert" => ModelConfig::bert(),
        _ => return Err(InputError::bad_value("--weights", weights, "a folder, random:gpt2 or random:bert")),
    };
    let (d, layers, heads) = size;
    let label = format!("{weights} {d}x{layers}x{heads} seed {seed}");
    Ok(Opened { config: default.resized(d, layers, heads)?, label, origin: Origin::Drawn { seed } })
}

fn open_folder(folder: &Path) -> Result<Opened, InputError> {
    /// Header and first tensors: enough to tell two models apart.
    const LOOKED_AT: u64 = 1 << 20;
    let config = ModelConfig::from_json(&read(&folder.join("config.json"))?)?;
    let mut file = FileSource::open(&folder.join("model.safetensors"))?;
    let first = file.read(0..file.len().min(LOOKED_AT))?;
    let name = folder.file_name().map_or_else(|| "model".into(), |name| name.to_string_lossy().into_owned());
    let label = format!("{name} {:016x}", fingerprint(first));
    Ok(Opened { config, label, origin: Origin::Folder(folder.to_path_buf()) })
}

impl Opened {
    /// The token ids of a text, by a tokenizer that is given, or the folder's; without one by words, for a drawn model.
    pub(super) fn ids(&self, text: &str, tokenizer: Option<&Path>) -> Result<Vec<u32>, InputError> {
        let files = match (tokenizer, &self.origin) {
            (Some(path), _) => TokenizerFiles { tokenizer: Some(read(path)?), ..TokenizerFiles::default() },
            (None, Origin::Drawn { .. }) => return Ok(ids_by_first_appearance(text, self.config.vocabulary)),
            (None, Origin::Folder(folder)) => {
                let part = |name: &str| {
                    let path = folder.join(name);
                    path.exists().then(|| read(&path)).transpose()
                };
                TokenizerFiles {
                    tokenizer: part("tokenizer.json")?,
                    word_pieces: part("vocab.txt")?,
                    pieces: part("vocab.json")?,
                    merges: part("merges.txt")?,
                }
            }
        };
        Tokenizer::new(&files)?.ids(text)
    }

    /// As much of the model as is needed.
    pub(super) fn model(&self, needs: &Needs) -> Result<Model, InputError> {
        match &self.origin {
            Origin::Drawn { seed } => draw_model(self.config, needs, *seed),
            Origin::Folder(folder) => {
                let source = FileSource::open(&folder.join("model.safetensors"))?;
                load_model(self.config, &mut SafeTensors::open(source)?, needs)
            }
        }
    }
}

/// A file on disk, read by ranges.
struct FileSource {
    path: PathBuf,
    file: File,
    len: u64,
}

impl FileSource {
    fn open(path: &Path) -> Result<Self, InputError> {
        let opened = File::open(path).and_then(|file| Ok((file.metadata()?.len(), file)));
        let (len, file) = opened.map_err(|error| unreadable(path, &error))?;
        Ok(FileSource { path: path.to_path_buf(), file, len })
    }
}

impl Source for FileSource {
    fn len(&self) -> u64 {
        self.len
    }

    fn read(&mut self, range: Range<u64>) -> Result<Vec<u8>, InputError> {
        // Never more than there is: a header may claim anything.
        let mut bytes = vec![0; range.end.min(self.len).saturating_sub(range.start) as usize];
        let outcome = self.file.seek(SeekFrom::Start(range.start)).and_then(|_| self.file.read_exact(&mut bytes));
        outcome.map_err(|error| unreadable(&self.path, &error))?;
        Ok(bytes)
    }
}

fn read(path: &Path) -> Result<String, InputError> {
    fs::read_to_string(path).map_err(|error| unreadable(path, &error))
}

/// What the system says of a file.
pub(super) fn unreadable(path: &Path, error: &io::Error) -> InputError {
    InputError::File {
        file: path.display().to_string(),
        problem: error.to_string(),
        fix: "Check the path, and that the file is there.".into(),
    }
}
