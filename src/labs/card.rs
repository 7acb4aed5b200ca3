//! The pictures of the gallery's cards: their type, and the stored numbers that they are drawn from. A test of the
//! engine keeps these numbers true (`tests/core/gallery.rs`).

use serde::{Deserialize, Serialize};

use lipscope_core::certify::Certified;
use lipscope_core::compare::ComparisonPoint;
use lipscope_core::estimators::EstimatorPoint;
use lipscope_core::gap::GapCell;
use lipscope_core::inverse::InverseStep;
use lipscope_core::scaling::ScalingPoint;
use lipscope_core::tightness::TightnessPoint;
use lipscope_plot::{LineChart, Tiles};
use lipscope_protocol::envelope::decode;

/// The picture of a card.
pub enum CardPicture {
    Lines(LineChart),
    Tiles(Tiles),
}

/// The numbers of the pictures.
#[derive(Serialize, Deserialize)]
pub struct Pictures {
    pub certify: Certified,
    pub compare: Vec<ComparisonPoint>,
    pub scaling: Vec<ScalingPoint>,
    pub tightness: Vec<TightnessPoint>,
    pub gap: Vec<GapCell>,
    pub inverse_l2: Vec<InverseStep>,
    pub inverse_dot: Vec<InverseStep>,
    pub estimators: Vec<EstimatorPoint>,
}

impl Pictures {
    /// Reads the packed file, which has the format of workers' messages. JSON would need a parser of these types for
    /// this file alone.
    pub fn read() -> Option<Self> {
        decode(include_bytes!("../../assets/gallery.postcard")).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lipscope_protocol::envelope::encode;

    /// With `LIPSCOPE_WRITE_GALLERY=1` the test packs the readable numbers anew.
    #[test]
    fn the_packed_numbers_are_those_of_the_readable_file() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/assets");
        let json = std::fs::read_to_string(format!("{folder}/gallery.json")).expect("a file");
        let packed = encode(&serde_json::from_str::<Pictures>(&json).expect("pictures")).expect("bytes");
        let path = format!("{folder}/gallery.postcard");
        if std::env::var_os("LIPSCOPE_WRITE_GALLERY").is_some() {
            // The compiled program still holds the earlier file, so there is nothing to compare.
            return std::fs::write(&path, &packed).expect("assets/ can be written");
        }
        assert!(
            std::fs::read(&path).expect("a file") == packed,
            "gallery.postcard is not of gallery.json: write it anew"
        );
        assert!(Pictures::read().is_some());
    }
}
