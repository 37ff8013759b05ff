/// The body of a request, as it comes: of a length that its head says, for instance, or in chunks.
struct RequestBody {
  enum Step: Equatable {
    case needsMore
    /// The body is whole with that many bytes of the piece; the rest is the next request's.
    case complete(used: Int)
    case tooLong
    case malformed
  }

  /// What has come of a body that has a length, and what has not.
  private var known: [UInt8] = []
  private var remaining = 0
  private var chunks: ChunkedBody?

  init(_ framing: RequestArrival.BodyFraming, bytesMax: Int) {
    switch framing {
    case .length(let length): remaining = length
    case .chunked: chunks = ChunkedBody(bytesMax: bytesMax)
    }
  }

  /// What has come.
  var bytes: [UInt8] { chunks?.bytes ?? known }

  /// Adds to it in place: a photograph comes in some thousand pieces.
  mutating func append(_ piece: UnsafeRawBufferPointer) -> Step {
    if let step = chunks?.append(piece) { return step }
    let used = min(remaining, piece.count)
    known.append(contentsOf: piece.prefix(used))
    remaining -= used
    return remaining == 0 ? .complete(used: used) : .needsMore
  }
}
