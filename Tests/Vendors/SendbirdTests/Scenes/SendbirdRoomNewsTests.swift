import GatewayCore
import Testing

@testable import GatewaySendbird

struct SendbirdRoomNewsTests {
  @Test
  func `what a node tells of a channel is what the others read, whatever names contain`() {
    for user in ["ann", "", "a b", "12 3", "ä\u{301} 7"].map({ UserID($0) }) {
      for url in ["talk", "", " 5 x", "a b c", "é"] as [Name] {
        for news in [
          .message(url, by: user, count: 7), .message(url, by: nil, count: .max), .unread(url, 0, of: user, count: 0),
          .unread(url, 12, of: user, count: 3), .changed(url),
        ] as [SendbirdRoomNews] {
          #expect(SendbirdRoomNews(news.note) == news)
        }
      }
    }
  }

  @Test(arguments: [
    "", " ", "sent", "sent 1", "sent 1 9 ann", "sent x 3 anntalk", "sent -1 3 anntalk", "sent 1 -3 anntalk",
    "message 0 talk", "message 99999999999999999999 talk", "unread 1 -1 3 anntalk", "unread 1 9999999999 3 anntalk",
    "sent 1 1 \u{e4}talk", "other 1 talk",
  ])
  func `a note that no node writes is no news`(text: String) {
    #expect(SendbirdRoomNews(VendorNote(SendbirdRoomNews.topic, text)) == nil)
  }

  @Test
  func `notes about something else are no news`() {
    #expect(SendbirdRoomNews(VendorNote("sendbird.rooms", "changed talk")) == nil)
  }
}
