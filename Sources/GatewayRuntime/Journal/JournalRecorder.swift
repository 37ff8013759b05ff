package import GatewayCore

/// A recorder that receives each line of a journal when it is written, with the message or the HTTP exchange that it is about.
package protocol JournalRecorder: AnyObject {
  /// Something has happened. On the journal's loop, in the middle of what happens.
  ///
  /// - Parameters:
  ///   - line: The line.
  ///   - message: The bytes of the message, which are valid during the call; nil if the line is about none.
  ///   - kind: The kind of the message.
  ///   - exchange: The request that the line is about; nil for none.
  func journalWrote(
    _ line: JournalLine, saying message: UnsafeRawBufferPointer?, _ kind: Frame.Kind, of exchange: HTTPExchange?)

  /// The journal has ended.
  func journalEnded()
}

/// A request and its answer, as far as they are known.
package struct HTTPExchange: Sendable {
  package let request: HTTPRequest
  /// The answer; nil if there is none.
  package let answer: HTTPResponse?
  /// How long the answer took, in the time of the network; nil if it is not known.
  package let took: Duration?

  package init(_ request: HTTPRequest, _ answer: HTTPResponse?, took: Duration? = nil) {
    (self.request, self.answer, self.took) = (request, answer, took)
  }
}

extension Journal {
  /// The maximum number of recorders at once.
  package static let recordersMax = 8

  /// Gives every line from now on to a recorder, as long as its owner holds it. Throws `GatewayError.tooMany` if there are eight.
  package func attach(_ recorder: any JournalRecorder) throws(GatewayError) {
    recorders.removeAll { $0.recorder == nil }
    guard recorders.count < Self.recordersMax else {
      throw .tooMany.detailed("\(Self.recordersMax) record the journal already")
    }
    recorders.append(Held(recorder))
  }

  package func detach(_ recorder: any JournalRecorder) {
    recorders.removeAll { $0.recorder == nil || $0.recorder === recorder }
  }

  /// Whether a recorder gets the lines.
  package var isRecorded: Bool { !recorders.isEmpty }

  /// Notes the request that the next line is about, for the recorders.
  package func note(_ exchange: @autoclosure () -> HTTPExchange) {
    if isRecorded { self.exchange = exchange() }
  }

  func record(_ number: UInt64, _ record: JournalRecord, _ message: UnsafeRawBufferPointer?, _ kind: Frame.Kind) {
    let line = line(number, record)
    let exchange = exchange
    self.exchange = nil
    for held in recorders { held.recorder?.journalWrote(line, saying: message, kind, of: exchange) }
  }

  /// A recorder, which its owner holds.
  struct Held {
    weak var recorder: (any JournalRecorder)?

    init(_ recorder: any JournalRecorder) { self.recorder = recorder }
  }
}
