//! Server-sent events from the bytes of a stream, however they are cut.

/// One event.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ServerEvent {
    pub(crate) event: String,
    pub(crate) data: String,
}

/// As much as one event may hold: twice as much as any answer that a server gives.
const MAX_EVENT: usize = 16 << 20;

/// An event that is longer than any server's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooLong;

/// What has come so far.
#[derive(Debug, Default)]
pub(crate) struct Events {
    bytes: Vec<u8>,
    open: ServerEvent,
}

impl Events {
    /// Takes more of the stream.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<(), TooLong> {
        if self.bytes.len() + self.open.data.len() + bytes.len() > MAX_EVENT {
            return Err(TooLong);
        }
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    /// The next event that is whole.
    pub(crate) fn next(&mut self) -> Option<ServerEvent> {
        while let Some(end) = self.bytes.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.bytes.drain(..=end).collect();
            let line = String::from_utf8_lossy(&line);
            let line = line.trim_end_matches(['\n', '\r']);
            if line.is_empty() {
                let told = std::mem::take(&mut self.open);
                // A comment, or a field of the stream itself.
                if told.data.is_empty() {
                    continue;
                }
                return Some(told);
            }
            self.field(line);
        }
        None
    }

    fn field(&mut self, line: &str) {
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match name {
            "event" => value.clone_into(&mut self.open.event),
            "data" => {
                if !self.open.data.is_empty() {
                    self.open.data.push('\n');
                }
                self.open.data.push_str(value);
            }
            // The sequence is in the data, too; a comment has no name.
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STREAM: &str = "retry: 1000\n\nid: 1\nevent: progress\ndata: {\"é\": 1}\n\n: quiet\n\n\
                          event: end\r\ndata: a\r\ndata:b\r\n\r\nevent: open\ndata: c\n";

    #[test]
    fn events_are_whole_however_the_stream_is_cut() {
        let event =
            |event: &str, data: &str| ServerEvent { event: event.into(), data: data.into() };
        let expected = [event("progress", "{\"é\": 1}"), event("end", "a\nb")];
        for size in [1, 2, 3, 7, 1000] {
            let mut events = Events::default();
            let mut told = Vec::new();
            for chunk in STREAM.as_bytes().chunks(size) {
                events.push(chunk).unwrap();
                told.extend(std::iter::from_fn(|| events.next()));
            }
            assert_eq!(told, expected, "{size}");
        }
    }

    #[test]
    fn what_never_ends_is_given_up() {
        let mut events = Events::default();
        let long = vec![b'x'; 1 << 20];
        let taken = (0..20).take_while(|_| events.push(&long).is_ok()).count();
        assert_eq!(taken, 16);
    }
}
