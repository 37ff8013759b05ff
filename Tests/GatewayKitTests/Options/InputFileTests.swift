import Foundation
import TestSupport
import Testing

@testable import GatewayKit

struct InputFileTests {
  /// Returns the error of reading the file; empty if it can be read.
  private func complaint(_ path: String) -> String {
    do {
      _ = try InputFile.readLocal(path, of: "--key-file", sizeMax: 1000)
      return ""
    } catch {
      return "\(error)"
    }
  }

  @Test
  func `a file that a flag names is read whole, up to the greatest size`() throws {
    for text in ["text", ""] {
      let file = try TemporaryFile(text)
      #expect(try InputFile.readLocal(file.path, of: "--f", sizeMax: 4) == Array(text.utf8))
    }
    let large = try TemporaryFile(String(repeating: "x", count: 1001))
    #expect(complaint(large.path) == "--key-file: '\(large.path)' is larger than 1000 bytes")
    #expect(complaint("/dev/zero") == "--key-file: '/dev/zero' is larger than 1000 bytes")
  }

  @Test
  func `a missing file, a directory and a file without permission have different errors`() throws {
    #expect(complaint("/nowhere/x") == "--key-file: '/nowhere/x' does not exist")
    #expect(complaint("/tmp") == "--key-file: '/tmp' is a directory; expected a file")
    let file = try TemporaryFile("")
    #expect(complaint(file.path + "/x").hasSuffix("does not exist: a part of the path is a file, not a directory"))
    #expect(complaint("") == "--key-file: the name of the file is empty")
    #expect(complaint("a\0b").contains("NUL"))
    // The tests may run as root, who may read everything; the end-to-end tests run the command as another user.
    #expect(InputFile.reason(EACCES).hasPrefix("may not be read: permission denied"))
  }

  @Test
  func `a secret is the text of its file without line feeds at its ends, and must not be empty or binary`() throws {
    let good = try TemporaryFile("\nhush hush\r\n")
    #expect(try SecretFile.read(good.path, of: .init(text: good.path, source: "--s")) == "hush hush")
    for (text, expected) in [("\n", "is empty; expected a secret"), ("", "is empty; expected a secret")] {
      let file = try TemporaryFile(text)
      #expect {
        _ = try SecretFile.read(file.path, of: .init(text: file.path, source: "--s"))
      } throws: {
        "\($0)" == "--s: '\(file.path)' \(expected)"
      }
    }
    #expect {
      _ = try SecretFile.read("/proc/self/exe", of: .init(text: "/proc/self/exe", source: "--s"))
    } throws: {
      "\($0)".contains("larger than 65536 bytes")
    }
  }
}
