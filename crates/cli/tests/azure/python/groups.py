"""Resource groups through the SDK's own operations for them, and lists in pages."""

from arm import (
    ACCOUNT,
    ASYNC,
    URL,
    Claims,
    Client,
    by_location,
    group_body,
    group_id,
    main,
    reference_id,
    vpc,
)


class Groups(Claims):
    def made(self, name, *aliases):
        """A group with these references."""
        Client().groups.create_or_update(name, group_body())
        for alias in aliases:
            Client().put(reference_id(alias, group=name), vpc()).wait()
        return name

    def pages(self, pager):
        """The names on each page. Each page but the last says where the next one is."""
        before = len(self.client.sent)
        pages = [[one.name for one in page] for page in pager.by_page()]
        sent = self.client.sent[before:]
        self.assertEqual(len(sent), len(pages))
        for exchange in sent[:-1]:
            self.assertTrue(exchange.json()["nextLink"].startswith(f"{URL}/"))
        self.assertFalse(sent[-1].json().get("nextLink"))
        return pages

    def test_a_group_is_made_shown_and_changed(self):
        made = self.client.groups.create_or_update("life", group_body(location="here"))
        self.assertEqual((made.id, made.name), (group_id("life"), "life"))
        self.assertEqual(made.type, "System.Resources/resourceGroups")
        self.assertEqual(made.location, "here")
        self.assertEqual(made.properties.provisioning_state, "Succeeded")
        self.assertEqual(made.properties["providers"]["aws"]["scope"], ACCOUNT)
        shown = self.client.groups.get("life")
        self.assertEqual((shown["etag"], shown.tags), (made["etag"], None))
        tagged = group_body(location="here", tags={"team": "net"})
        changed = self.client.groups.create_or_update("life", tagged)
        self.assertEqual(changed.tags, {"team": "net"})
        self.assertNotEqual(changed["etag"], made["etag"])
        again = self.client.groups.create_or_update("life", tagged)
        self.assertEqual(again["etag"], changed["etag"])
        self.assertEqual([one.status for one in self.client.sent], [201, 200, 200, 200])

    def test_what_was_got_can_be_put_back(self):
        self.made("back", "net")
        got = self.client.groups.get("back")
        self.assertEqual(self.client.groups.create_or_update("back", got)["etag"], got["etag"])

    def test_a_group_is_there_or_not(self):
        self.made("There")
        self.assertIs(self.client.groups.check_existence("there"), True)
        self.assertEqual(self.client.groups.get("tHERE").id, group_id("There"))
        self.assertIs(self.client.groups.check_existence("gone"), False)
        with self.refused(404, "ResourceGroupNotFound"):
            self.client.groups.get("gone")
        with self.refused(404, "ResourceGroupNotFound"):
            list(self.client.resources.list_by_resource_group("gone"))

    def test_conditions_on_a_group_hold(self):
        with self.refused(412, "PreconditionFailed"):
            self.client.groups.create_or_update("if", group_body(), headers={"If-Match": "*"})
        absent = {"If-None-Match": "*"}
        made = self.client.groups.create_or_update("if", group_body(), headers=absent)
        with self.refused(412, "PreconditionFailed"):
            self.client.groups.create_or_update("if", group_body(), headers=absent)
        with self.refused(412, "PreconditionFailed"):
            self.client.groups.create_or_update("if", group_body(), headers={"If-Match": '"x"'})
        same = {"If-Match": made["etag"]}
        self.client.groups.create_or_update("if", group_body(location="x"), headers=same)

    def test_all_pages_of_groups_hold_each_group_once(self):
        names = {self.made(f"page-{number}") for number in range(5)}
        pages = self.pages(self.client.groups.list(top=2))
        self.assertTrue(all(len(page) == 2 for page in pages[:-1]), pages)
        listed = [name for page in pages for name in page]
        self.assertEqual(len(listed), len(set(listed)))
        self.assertLessEqual(names, set(listed))
        self.assertEqual(self.pages(self.client.groups.list()), [listed])

    def test_all_pages_of_references_hold_each_reference_once(self):
        aliases = [f"net-{number}" for number in range(5)]
        self.made("pages", *aliases)
        pager = self.client.resources.list_by_resource_group("pages", top=2)
        self.assertEqual(self.pages(pager), [aliases[:2], aliases[2:4], aliases[4:]])
        listed = list(self.client.resources.list_by_resource_group("pages"))
        got = [self.client.get(one.id) for one in listed]
        self.assertEqual(listed, got)

    def test_a_list_of_nothing_is_one_empty_page(self):
        self.made("empty")
        self.assertEqual(self.pages(self.client.resources.list_by_resource_group("empty")), [[]])

    def test_a_page_goes_on_in_another_client(self):
        self.made("resumed", "a", "b", "c")
        pages = self.client.resources.list_by_resource_group("resumed", top=2).by_page()
        next(pages)
        pager = Client().resources.list_by_resource_group("resumed")
        rest = pager.by_page(continuation_token=pages.continuation_token)
        self.assertEqual([[one.name for one in page] for page in rest], [["c"]])

    def test_a_group_is_patched(self):
        self.made("patched")
        self.client.groups.create_or_update("patched", group_body(tags={"a": "1"}))
        patched = self.client.groups.update("patched", {"tags": {"b": "2"}})
        self.assertEqual(patched.tags, {"b": "2"})
        self.assertEqual(patched.properties["providers"]["aws"]["scope"], ACCOUNT)
        with self.refused(404, "ResourceGroupNotFound"):
            self.client.groups.update("gone", {"tags": {}})

    def test_a_group_is_deleted_with_all_that_it_owns(self):
        self.made("deleted", "a", "b")
        self.slow("1500ms")
        with self.soon(20), self.aws_writes(2):
            poller = self.client.groups.begin_delete("deleted", headers=ASYNC)
            self.is_under_way(self.client.sent[0], [202])
            with self.refused(409, "GroupDeleting"):
                Client().put(reference_id("late", group="deleted"), vpc())
            other = by_location()
            again = other.groups.begin_delete("deleted", headers=ASYNC)
            self.is_under_way(other.sent[0], [202])
            first = self.client.sent[0].headers["Location"]
            self.assertEqual(other.sent[0].headers["Location"], first)
            self.assertIsNone(poller.result())
            self.assertIsNone(again.result())
        self.assertEqual(poller.status(), "Succeeded")
        self.assertIs(self.client.groups.check_existence("deleted"), False)
        # Other than a resource, a group that is not there is not found.
        with self.refused(404, "ResourceGroupNotFound"):
            self.client.groups.begin_delete("deleted")

    def test_a_group_that_cannot_be_deleted_says_what_is_left(self):
        self.made("kept", "a", "b")
        denied = {"effect": "fail", "code": "AccessDenied", "message": "not for you"}
        kept = reference_id("b", group="kept")
        identifier = self.client.get(kept)["mapsTo"]["primaryIdentifier"]
        self.fault(operation="DeleteResource", identifier=identifier, times=100, **denied)
        for client, status in [(Client(), 200), (by_location(), 409)]:
            poller = client.groups.begin_delete("kept", headers=ASYNC)
            with self.soon(20), self.refused(status, "GroupNotEmpty") as caught:
                poller.result()
            [left] = caught.exception.error.details
            self.assertEqual((left.target, left.code), (kept, "AccessDenied"))
        self.assertEqual(self.client.groups.get("kept").properties.provisioning_state, "Succeeded")
        self.assertEqual(self.pages(self.client.resources.list_by_resource_group("kept")), [["b"]])


if __name__ == "__main__":
    main()
