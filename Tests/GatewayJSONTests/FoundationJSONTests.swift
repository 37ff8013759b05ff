import Foundation
import GatewayCore
import TestSupport
import TestTraits
import Testing

@testable import GatewayJSON

/// Compares the document with Foundation's parser, which shares no code with it.
struct FoundationJSONTests {
  /// Returns whether both parsers read the same value.
  private func isSame(_ view: JSONView, _ value: Any) -> Bool {
    switch view.kind {
    case .object:
      guard let members = value as? [String: Any], let own = view.members, members.count == own.count else {
        return false
      }
      return own.allSatisfy { name, value in members[name].map { isSame(value, $0) } ?? false }
    case .array:
      guard let elements = value as? [Any], let own = view.elements, elements.count == own.count else { return false }
      return zip(own, elements).allSatisfy { isSame($0, $1) }
    case .string: return (value as? String).map { view.string?.utf8.elementsEqual($0.utf8) == true } ?? false
    case .integer, .real:
      // Foundation reads many digits as a decimal number first, and so rounds twice.
      guard let theirs = (value as? NSNumber)?.doubleValue, let own = view.number else { return false }
      return abs(theirs - own) <= abs(own) * 1e-15
    case .bool: return value as? Bool == view.bool
    case .null: return value is NSNull
    }
  }

  @Test(.long)
  func `the document accepts, refuses and reads texts as Foundation does`() {
    let examples = [
      #"{"a": [1, -2.5e3, 0.1, true, null], "b": {"c": "\u00e9\n\ud83d\ude00", "d": {}}, "e": [[], [[]]]}"#,
      #"[0, -0, 1E5, 1.25e-3, 9007199254740993, "ab", false]"#,
      #"{"type":"refresh","token":"a.b.c","expires_in":3600}"#,
    ]
    var source = HostileBytes(
      seed: 31, examples: examples, words: [#"\u00"#, "\"", "{}", "[", "]", ",", ":", "1e", "é", "-"])
    var (read, refused) = (0, 0)
    for _ in 0..<20_000 {
      let bytes = source.next()
      // Foundation guesses UTF-16 and UTF-32 from zero bytes and byte order marks, and takes NUL in a string.
      guard !bytes.contains(0), !bytes.contains(0xEF), !bytes.contains(0xFE),
        !String(decoding: bytes, as: UTF8.self).contains("\\u0000")
      else { continue }
      let theirs = try? JSONSerialization.jsonObject(with: Data(bytes))
      do {
        let root = try JSONDocument.parse(bytes).root
        read += 1
        let isAlike = theirs.map { isSame(root, $0) } ?? false
        #expect(isAlike, "\(String(decoding: bytes, as: UTF8.self).debugDescription)")
      } catch .duplicateMember, .numberOutOfRange, .tooDeep {
        continue
      } catch {
        // Foundation takes a comma behind the last element.
        if String(decoding: bytes, as: UTF8.self).contains(#/,\s*[\]}]/#) { continue }
        refused += 1
        #expect(theirs == nil, "\(error): \(String(decoding: bytes, as: UTF8.self).debugDescription)")
      }
    }
    #expect(read > 500 && refused > 500)
  }
}
