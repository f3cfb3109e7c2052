//! Arrow streams of one schema and one batch of rows, as batches of the log have them.
//!
//! They are written by `arrow-ipc`. They are read here, because a forged stream makes that reader panic; of a stream
//! only the framing and the buffers of the rows are needed, since the manifest has the types.

use arrow_array::{Array, ArrayRef, RecordBatch, make_array};
use arrow_buffer::Buffer;
use arrow_data::ArrayData;
use arrow_ipc::writer::StreamWriter;
use arrow_ipc::{self as ipc, MessageHeader, root_as_message};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use std::sync::Arc;

/// A stream with these columns, which have equal lengths.
pub(crate) fn encode(columns: &[(&str, ArrayRef)]) -> Result<Vec<u8>, ArrowError> {
    let field = |(name, column): &(&str, ArrayRef)| Field::new(*name, column.data_type().clone(), false);
    let schema = Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()));
    let batch = RecordBatch::try_new(schema, columns.iter().map(|(_, column)| Arc::clone(column)).collect())?;
    let bytes: usize = columns.iter().map(|(_, column)| column.get_buffer_memory_size()).sum();
    let mut writer = StreamWriter::try_new(Vec::with_capacity(bytes + 1024), &batch.schema())?;
    writer.write(&batch)?;
    writer.into_inner()
}

/// The columns of a stream with this many rows. `None` if it has not just these, without nulls and in one batch.
pub(crate) fn decode(stream: &[u8], rows: u64, types: &[DataType]) -> Option<Vec<ArrayRef>> {
    let (schema, _, rest) = message(stream)?;
    if schema.header_type() != MessageHeader::Schema
        || schema.header_as_schema()?.fields()?.len() != types.len()
    {
        return None;
    }
    let (batch, body, rest) = message(rest)?;
    let batch = batch.header_as_record_batch()?;
    let is_last = rest == END;
    if !is_last || batch.compression().is_some() || u64::try_from(batch.length()) != Ok(rows) {
        return None;
    }
    let (nodes, buffers) = (batch.nodes()?, batch.buffers()?);
    if nodes.len() != types.len() || buffers.len() != 2 * types.len() {
        return None;
    }
    let column = |(i, data_type): (usize, &DataType)| {
        let node = nodes.get(i);
        let is_whole = node.null_count() == 0 && node.length() == batch.length();
        if is_whole { column(data_type, rows, buffers.get(2 * i + 1), body) } else { None }
    };
    types.iter().enumerate().map(column).collect()
}

/// What ends a stream.
const END: &[u8] = &[0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0];

/// The first message of a stream, its body, and the rest of the stream.
fn message(stream: &[u8]) -> Option<(ipc::Message<'_>, &[u8], &[u8])> {
    let rest = stream.strip_prefix(&[0xff; 4])?;
    let (len, rest) = rest.split_first_chunk::<4>()?;
    let (message, rest) = rest.split_at_checked(u32::from_le_bytes(*len) as usize)?;
    let message = root_as_message(message).ok()?;
    let (body, rest) = rest.split_at_checked(usize::try_from(message.bodyLength()).ok()?)?;
    Some((message, body, rest))
}

/// A column from its buffer in the body of a message.
fn column(data_type: &DataType, rows: u64, buffer: &ipc::Buffer, body: &[u8]) -> Option<ArrayRef> {
    let start = usize::try_from(buffer.offset()).ok()?;
    let end = start.checked_add(usize::try_from(buffer.length()).ok()?)?;
    // A copy, because numbers must be aligned.
    let bytes = Buffer::from_slice_ref(body.get(start..end)?);
    let data = ArrayData::builder(data_type.clone()).len(usize::try_from(rows).ok()?).add_buffer(bytes);
    Some(make_array(data.build().ok()?))
}
