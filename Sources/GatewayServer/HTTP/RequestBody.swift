/// The body of a request, as it comes: of a length that its head says, or in chunks.
enum RequestBody {
  enum Step: Equatable {
    case needsMore
    /// The body is whole with that many bytes of the piece; the rest is the next request's.
    case complete(used: Int)
    case tooLong
    case malformed
  }

  case length(remaining: Int, [UInt8])
  case chunked(ChunkedBody)

  init(_ framing: RequestArrival.BodyFraming, bytesMax: Int) {
    switch framing {
    case .length(let length): self = .length(remaining: length, [])
    case .chunked: self = .chunked(ChunkedBody(bytesMax: bytesMax))
    }
  }

  /// What has come.
  var bytes: [UInt8] {
    switch self {
    case .length(_, let bytes): bytes
    case .chunked(let body): body.bytes
    }
  }

  mutating func append(_ piece: UnsafeRawBufferPointer) -> Step {
    switch self {
    case .length(let remaining, var bytes):
      self = .length(remaining: 0, [])
      let used = min(remaining, piece.count)
      bytes.append(contentsOf: piece.prefix(used))
      self = .length(remaining: remaining - used, bytes)
      return used == remaining ? .complete(used: used) : .needsMore
    case .chunked(var body):
      self = .length(remaining: 0, [])
      defer { self = .chunked(body) }
      return body.append(piece)
    }
  }
}
