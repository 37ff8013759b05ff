/// The body of a request as it arrives, with a known length or in chunks.
struct RequestBody {
  enum Step: Equatable {
    case needsMore
    /// The body is complete with that many bytes of the piece; the rest belongs to the next request.
    case complete(used: Int)
    case tooLong
    case malformed
  }

  /// The bytes received of a body with a known length, and the number that is missing.
  private var known: [UInt8] = []
  private var remaining = 0
  private var chunks: ChunkedBody?

  init(_ framing: RequestArrival.BodyFraming, bytesMax: Int) {
    switch framing {
    case .length(let length): remaining = length
    case .chunked: chunks = ChunkedBody(bytesMax: bytesMax)
    }
  }

  /// The bytes received and not taken out.
  var bytes: [UInt8] { chunks?.bytes ?? known }

  /// The fewest bytes that the peer must still send.
  var missing: Int { chunks == nil ? remaining : 1 }

  /// Takes out the received bytes.
  mutating func takeBytes() -> [UInt8] {
    if let taken = chunks?.takeBytes() { return taken }
    var taken: [UInt8] = []
    swap(&taken, &known)
    return taken
  }

  /// Continues, without a limit, with a chunked body that was too long. Returns how many bytes of the last piece were used.
  mutating func goOnWithoutLimit() -> Int { chunks?.goOnWithoutLimit() ?? 0 }

  /// Adds the piece in place: a photograph arrives in some thousand pieces.
  mutating func append(_ piece: UnsafeRawBufferPointer) -> Step {
    if let step = chunks?.append(piece) { return step }
    let used = min(remaining, piece.count)
    known.append(contentsOf: piece.prefix(used))
    remaining -= used
    return remaining == 0 ? .complete(used: used) : .needsMore
  }
}
