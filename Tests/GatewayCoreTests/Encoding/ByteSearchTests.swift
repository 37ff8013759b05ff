import GatewayCore
import Testing

@Suite("Text looked for by its bytes")
struct ByteSearchTests {
  @Test("is found behind what a reader takes for another letter, and in no other spelling")
  func bytes() {
    #expect("key=secret\u{301}".replacing(bytesOf: "secret", with: "…") == "key=…\u{301}")
    #expect(!"e\u{301}".contains(bytesOf: "\u{E9}") && "\u{E9}".contains(bytesOf: "\u{E9}"))
    #expect("a\r\nb".contains(bytesOf: "\n"))
  }

  @Test("is found from the front without overlaps, and nowhere if it is empty")
  func places() {
    #expect("aaaa".replacing(bytesOf: "aa", with: "b") == "bb" && "aaa".replacing(bytesOf: "aa", with: "b") == "ba")
    #expect(
      "aab".ranges(bytesOf: "ab").count == 1 && "".ranges(bytesOf: "a").isEmpty && "a".ranges(bytesOf: "").isEmpty)
    #expect("a".contains(bytesOf: "") && "a".replacing(bytesOf: "", with: "b") == "a")
    #expect("a".ranges(bytesOf: "ab").isEmpty)
  }

  @Test("leaves the parts around it, empty ones too")
  func parts() {
    #expect("--a--b--".split(bytesOf: "--") == ["", "a", "b", ""])
    #expect("ab"[...].split(bytesOf: "x") == ["ab"] && "".split(bytesOf: "x") == [""])
  }
}
