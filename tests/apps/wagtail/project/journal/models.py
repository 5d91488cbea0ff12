from django.db import models
from wagtail.admin.panels import FieldPanel
from wagtail.fields import RichTextField
from wagtail.models import Page


class EntryPage(Page):
    """One day of a journal."""

    day = models.DateField("Day", null=True, blank=True)
    mood = models.CharField("Mood", max_length=10, choices=[("good", "Good"), ("fair", "Fair"), ("poor", "Poor")], blank=True)
    body = RichTextField("Body", blank=True, features=["bold", "italic", "h2", "ul", "link"])
    picture = models.ForeignKey("wagtailimages.Image", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")

    content_panels = Page.content_panels + [
        FieldPanel("day"), FieldPanel("mood"), FieldPanel("body"), FieldPanel("picture"),
    ]
    template = "entry.html"
