//! The scripts of `testdata`, on sharded dictionaries.

use crate::corpus::every_script;
use crate::on_every_device;
use gpu_lsm::Device;

on_every_device!(every_script_gives_its_answers);

fn every_script_gives_its_answers(device: &Device) {
    every_script(device, true);
}
