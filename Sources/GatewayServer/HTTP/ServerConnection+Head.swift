internal import CLibWebSockets
internal import GatewayCore

extension ServerConnection {
  /// Reads the head in front of the library, from here on. False if there is no memory for it.
  func awaitHead(from descriptor: CInt) -> Bool {
    self.descriptor = descriptor
    return postern_await_head(descriptor, Unmanaged.passUnretained(self).toOpaque()) == 0
  }

  /// Leaves what is read to the library.
  func forgetHead() {
    postern_forget_head(descriptor, Unmanaged.passUnretained(self).toOpaque())
  }

  /// `count` bytes came into `buffer`, from inside the library's read. Returns how many the library is to find there: 0
  /// while the head is not whole, else the stand-in for it and what came behind it.
  func headArrived(_ buffer: UnsafeMutableRawBufferPointer, _ count: Int) -> Int {
    let used: Int
    let arrival: RequestArrival
    switch head.append(UnsafeRawBufferPointer(rebasing: buffer[..<count])) {
    case .needsMore:
      return 0
    case .tooLong:
      used = count
      arrival = .refused(
        .plain(431, "the request's head is above \(service.limits.headerBytesMax) bytes"), .tooLarge, readsOn: true)
    case .malformed:
      used = count
      arrival = .refused(.plain(400, "the port speaks HTTP/1.1 and no TLS"), .malformedRequest, readsOn: true)
    case .complete(let length):
      used = length
      arrival = RequestArrival(RequestHead.read(head.bytes), limits: service.limits)
    }
    forgetHead()
    head = HeadBuffer(bytesMax: 0)
    self.arrival = arrival
    return Self.replace(used, of: count, in: buffer, by: arrival.standIn)
  }

  private static func replace(
    _ used: Int, of count: Int, in buffer: UnsafeMutableRawBufferPointer, by standIn: String
  ) -> Int {
    let length = standIn.utf8.count
    precondition(length <= postern_stand_in_bytes_max, "a stand-in has room")
    // The two places may overlap, which this copy allows for.
    UnsafeMutableRawBufferPointer(rebasing: buffer[length..<length + count - used])
      .copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[used..<count]))
    buffer.copyBytes(from: standIn.utf8)
    return length + count - used
  }
}
