internal import GatewayCore
internal import GatewayJSON
internal import GatewayRuntime

/// A continuous reader of the journals of all nodes, for an export or a feed.
///
/// `@unchecked Sendable`: used only on the loop of the control port.
final class MergedReader: @unchecked Sendable {
  static let piece = 64
  /// The time between two questions to all nodes.
  static let interval = Duration.milliseconds(250)
  /// The maximum silence of a feed.
  private static let patience = Duration.seconds(15)

  private let journal: MergedJournal
  private let query: [HTTPField]
  private let loop: EventLoop
  private let place: MergedReaders.Place
  private var position: JournalPosition
  /// A page that has not been returned yet.
  private var page: MergedJournal.Page?
  private let end: JournalPosition
  private var isCut = false
  private var missing: [String] = []

  /// Creates a reader whose first page is `page`.
  init(
    _ journal: MergedJournal, _ query: [HTTPField], _ page: MergedJournal.Page, on loop: EventLoop,
    _ place: MergedReaders.Place
  ) {
    (self.journal, self.query, self.page, self.loop, self.place) = (journal, query, page, loop, place)
    (position, end) = (page.next, page.last)
  }

  /// The lines up to the newest of now, each as one line of JSON. It is cut if a node does not answer.
  var export: HTTPStream {
    HTTPStream(endsByItself: true, isCut: { [self] in isCut }) { [self] in
      while !isCut {
        if page == nil {
          guard !position.hasReached(end) else { return nil }
          await read()
        }
        guard let found = take() else { break }
        isCut = !found.missing.isEmpty
        if !found.lines.isEmpty { return found.lines.flatMap { $0.text + [0x0a] } }
        guard !position.hasReached(end) else { return nil }
      }
      isCut = true
      return nil
    }
  }

  /// The present and future lines, as events. A line of a node that answers late may come after newer ones of another.
  var feed: HTTPStream {
    HTTPStream { [self] in
      let begun = loop.transport.now
      while !Task.isCancelled, !loop.hasEnded {
        if page == nil { await read() }
        guard let found = take() else { return nil }
        let text = events(of: found)
        if !text.isEmpty { return text }
        if loop.transport.now - begun >= Self.patience { return ServerSentEvent.keepAlive }
        await loop.sleep(until: loop.now + Self.interval, as: "lines in the journals of other nodes")
      }
      return nil
    }
  }

  private nonisolated(nonsending) func read() async {
    page = try? await journal.page(query, after: position, limit: Self.piece)
    if let page { position = page.next }
  }

  private func take() -> MergedJournal.Page? {
    defer { page = nil }
    return page
  }

  private func events(of page: MergedJournal.Page) -> [UInt8] {
    var events: [UInt8] = []
    if page.missed > 0 { events += ServerSentEvent(event: "missed", data: #"{"missed":\#(page.missed)}"#).bytes }
    if page.missing != missing {
      missing = page.missing
      let body = JSONWriter.object { $0.member("nodes_missing", strings: missing) }
      events += ServerSentEvent(event: "nodes_missing", data: String(decoding: body, as: UTF8.self)).bytes
    }
    for line in page.lines {
      events += ServerSentEvent(id: line.position.text, data: String(decoding: line.text, as: UTF8.self)).bytes
    }
    return events
  }
}
