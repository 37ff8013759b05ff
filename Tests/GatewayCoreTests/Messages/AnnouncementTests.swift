import GatewayCore
import Testing

struct AnnouncementTests {
  private let ann = UserID("ann")

  @Test
  func `an announcement is sent in each client's format, and not at all in a format without words`() {
    let announcement = Announcement(
      to: .users([ann]), [DialectFrame("plain", Frame(text: "one")), DialectFrame("other", Frame(text: "two"))])
    #expect(announcement.frame(in: "plain")?.frame(for: ann)?.text == "one")
    #expect(announcement.frame(in: "other")?.frame(for: ann)?.text == "two")
    #expect(announcement.frame(in: "third") == nil)
  }

  @Test
  func `an announced ending goes to the clients that it names, and to no others`() {
    let words = DialectFrame("plain", Frame(text: "unread "), endings: [ann: Array("2".utf8)])
    #expect(words.frame(for: ann) == Frame(text: "unread 2"))
    #expect(words.frame(for: UserID("bob")) == nil)
  }

  @Test
  func `two announcements that say the same are equal`() {
    func announcement(_ text: String) -> Announcement {
      Announcement(
        to: .users([ann]), except: ConnectionID(loop: 0, serial: 1), [DialectFrame("plain", Frame(text: text))])
    }
    #expect(announcement("one") == announcement("one"))
    #expect(announcement("one") != announcement("two"))
  }
}
