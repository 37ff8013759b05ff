import CLibWebSockets
import Glibc

/// A server that listens and never answers.
final class SilentServer {
  let descriptor: CInt
  let port: Int

  init() throws {
    let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafeMutableBytes(of: &address) { bytes in
      let pointer = bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self)
      guard bind(descriptor, pointer, length) == 0, listen(descriptor, 16) == 0 else { return false }
      return getsockname(descriptor, pointer, &length) == 0
    }
    guard bound else { throw RawClient.Failure(description: "cannot listen") }
    self.descriptor = descriptor
    port = Int(UInt16(bigEndian: address.sin_port))
  }

  deinit {
    close(descriptor)
  }
}
