internal import CLibWebSockets

/// The paths of a listener's certificate and key as PEM files, with the certificate first and then its chain.
package struct TLSFiles: Hashable, Sendable {
  package var certificatePath: String
  package var keyPath: String

  package init(certificatePath: String, keyPath: String) {
    self.certificatePath = certificatePath
    self.keyPath = keyPath
  }
}

/// A certificate with its chain and its key, which was checked to match. New connections get the latest one.
///
/// `@unchecked Sendable`: OpenSSL's objects behind it are counted atomically and never changed after they are read.
final class TLSCertificate: @unchecked Sendable {
  let handle: OpaquePointer

  init(reading files: TLSFiles) throws(ServerError) {
    var reason = ""
    let read = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { buffer in
      buffer.initialize(repeating: 0)
      let read = postern_certificate_read(files.certificatePath, files.keyPath, buffer.baseAddress, buffer.count)
      reason = String(cString: buffer.baseAddress!)
      return read
    }
    guard let read else { throw .badCertificate(reason) }
    handle = read
  }

  deinit {
    postern_certificate_free(handle)
  }
}
