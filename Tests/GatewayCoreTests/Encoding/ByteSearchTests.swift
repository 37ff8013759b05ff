import GatewayCore
import Testing

struct ByteSearchTests {
  @Test
  func `a byte search finds text before a combining character, and in no other spelling`() {
    #expect("key=secret\u{301}".replacing(bytesOf: "secret", with: "…") == "key=…\u{301}")
    #expect(!"e\u{301}".contains(bytesOf: "\u{E9}") && "\u{E9}".contains(bytesOf: "\u{E9}"))
    #expect("a\r\nb".contains(bytesOf: "\n"))
  }

  @Test
  func `a byte search finds text from the front without overlaps, and never finds an empty text`() {
    #expect("aaaa".replacing(bytesOf: "aa", with: "b") == "bb" && "aaa".replacing(bytesOf: "aa", with: "b") == "ba")
    #expect(
      "aab".ranges(bytesOf: "ab").count == 1 && "".ranges(bytesOf: "a").isEmpty && "a".ranges(bytesOf: "").isEmpty)
    #expect("a".contains(bytesOf: "") && "a".replacing(bytesOf: "", with: "b") == "a")
    #expect("a".ranges(bytesOf: "ab").isEmpty)
  }

  @Test
  func `splitting by bytes keeps the parts around a separator, empty ones too`() {
    #expect("--a--b--".split(bytesOf: "--") == ["", "a", "b", ""])
    #expect("ab"[...].split(bytesOf: "x") == ["ab"] && "".split(bytesOf: "x") == [""])
  }
}
