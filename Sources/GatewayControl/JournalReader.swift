internal import GatewayCore
internal import GatewayJSON
internal import GatewayRuntime

/// A continuous reader of the journal, for an export or a feed.
///
/// `@unchecked Sendable`: used only on the journal's loop.
final class JournalReader: @unchecked Sendable {
  private static let piece = 64
  /// The maximum silence of a feed.
  private static let patience = Duration.seconds(15)

  private let journal: Journal
  private let loop: EventLoop
  private var query: Journal.Query
  /// The number of the wait that is under way.
  private var waiting: UInt64?
  /// Whether a piece has been read.
  private var hasBegun = false

  init(_ journal: Journal, _ query: Journal.Query, on loop: EventLoop) {
    self.journal = journal
    self.loop = loop
    self.query = query
    self.query.limit = Self.piece
  }

  // MARK: Export

  /// The present lines, each as one line of JSON.
  var export: HTTPStream {
    HTTPStream(endsByItself: true) { [self, end = journal.last] in
      await letOthers()
      let page = journal.page(query)
      query.after = page.next
      let lines = page.lines.prefix { $0.number <= end }
      guard !lines.isEmpty else { return nil }
      return lines.reduce(into: []) { $0 += JournalText.text($1).utf8 + [0x0a] }
    }
  }

  // MARK: Feed

  /// The present and future lines, as events. A reader that fell behind receives the number of lines that it missed.
  var feed: HTTPStream { HTTPStream { [self] in await next() } }

  /// Lets the network be served between two pieces, so that reading a long journal delays no login.
  private func letOthers() async {
    if hasBegun { await loop.pause() }
    hasBegun = true
  }

  private func next() async -> [UInt8]? {
    await letOthers()
    if let events = events() { return events }
    guard !Task.isCancelled, !journal.hasEnded else { return nil }
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { wait($0) }
    } onCancel: {
      loop.execute { [self] in
        if let waiting { journal.giveUp(waiting) }
      }
    }
    waiting = nil
    guard let outcome, !Task.isCancelled, !journal.hasEnded else { return nil }
    return outcome.isMet ? events() : ServerSentEvent.keepAlive
  }

  private func wait(_ continuation: CheckedContinuation<Journal.Outcome?, Never>) {
    do throws(GatewayError) {
      waiting = try journal.wait(for: query, count: 1, within: Self.patience) {
        continuation.resume(returning: $0)
      }
    } catch {
      // The maximum number of waits is reached. The feed ends, and the reader may reconnect.
      continuation.resume(returning: nil)
    }
  }

  private func events() -> [UInt8]? {
    let page = journal.page(query)
    query.after = page.next
    var events: [UInt8] = []
    if page.missed > 0 { events += ServerSentEvent(event: "missed", data: #"{"missed":\#(page.missed)}"#).bytes }
    for line in page.lines { events += ServerSentEvent(id: String(line.number), data: JournalText.text(line)).bytes }
    return events.isEmpty ? nil : events
  }
}
