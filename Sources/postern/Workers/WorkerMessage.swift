import GatewayJSON

/// A message between a storm and its workers over TCP until the order is given: JSON, one message a line.
///
/// From then on the worker passes on the lines of its part (``StormMessage``).
enum WorkerMessage: Codable {
  /// The worker's first message: its version, and an unpredictable number.
  case greeting(version: String, nonce: String)
  /// The storm: a number of its own, and the proof that it knows the secret.
  case claim(nonce: String, proof: String)
  /// The worker: the proof that it knows the secret too.
  case acceptance(proof: String)
  /// The storm asks what the time is; the worker says it, in nanoseconds since 1970.
  case clockAsked
  case clock(nanoseconds: Int64)
  /// The storm: what to do.
  case order(WorkerOrder)
  /// The worker: why not.
  case refusal(String)

  func send(to stream: LineStream) throws {
    try stream.write(JSONCoder().encode(self))
  }

  /// The next message. Throws ``WorkerFailure`` if it is none, or if it says that the other side refuses.
  static func next(from stream: LineStream, bytesMax: Int, patience: Duration) throws -> WorkerMessage {
    let line = try stream.next(bytesMax: bytesMax, patience: patience)
    guard let message = try? JSONCoder().decode(WorkerMessage.self, from: line) else {
      throw WorkerFailure("it speaks another language than postern worker")
    }
    if case .refusal(let reason) = message { throw WorkerFailure(reason) }
    return message
  }
}

/// An order for a worker: one part of a storm, as its command line has it.
struct WorkerOrder: Codable {
  /// The words behind `postern storm`.
  var words: [String]
  /// The variables that begin with `POSTERN_`.
  var environment: [String: String]
  var part: StormPart
}

/// The reason why a worker refuses an order or cannot be reached, e.g. another version.
struct WorkerFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
